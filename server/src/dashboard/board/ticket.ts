import type { Response } from "express";
import { html } from "../../lib/html.js";
import type { Business } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { assetPath } from "../assets.js";
import { wallClock } from "../date-format.js";
import { htmlDocument } from "../layout.js";
import { at } from "../root.js";
import { stateName } from "./people.js";
import type { Person } from "./person.js";

/**
 * Sends the ticket of a person for a printer of 80 mm. It shows neither their name nor their phone number,
 * because customers leave their tickets behind.
 */
export function sendTicket(res: Response, business: Business, person: Person): void {
  const { found, queue, service } = person;
  const { entry, line } = found;
  const token = tokenLabel(entry);
  const head = html`<link rel="stylesheet" href="${assetPath(res, "ticket.css")}">
<script src="${assetPath(res, "ticket.js")}" defer></script>
`;
  const body = html`<body>
<nav aria-label="Ticket"><button id="print" type="button" hidden>Print</button><a href="${at(res, "")}#queue-${entry.queueId}">To the board</a></nav>
<main>
<p><bdi>${business.name}</bdi></p>
<h1${token.length > 5 && html` class="long"`}>${token}</h1>
<p class="queue"><bdi>${queue}</bdi></p>
${service !== null && html`<p><bdi>${service}</bdi></p>\n`}<p class="ahead">${line ? aheadInWords(line.ahead.people) : stateName(entry)}</p>
<p>${wallClock(business).moment(entry.issuedAt)}</p>
</main>
</body>
`;
  res.type("html").end(htmlDocument(res, { title: `Ticket ${token}`, head, body }).text);
}

function aheadInWords(people: number): string {
  if (people === 0) return "You are next";
  return people === 1 ? "1 person is before you" : `${people} people are before you`;
}
