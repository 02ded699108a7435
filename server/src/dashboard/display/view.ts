import type { Request, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Business } from "../../rules/records.js";
import { assetPath } from "../assets.js";
import { htmlDocument } from "../document.js";

/** The content of a display. It has its own, read-only frame. */
interface DisplayView {
  readonly business: Business;
  /** URL of the display's events. */
  readonly events: string;
  readonly queues: Html;
}

/** When a screen shows the dark theme, by the theme in the URL. */
const whenDark = { auto: "(prefers-color-scheme: dark)", dark: "all", light: "not all" } as const;

/** Sends the page of a display. `theme=dark` or `theme=light` in the URL overrides the screen's own theme. */
export function sendDisplay(req: Request, res: Response, view: DisplayView): void {
  const { business, events, queues } = view;
  const { theme } = req.query;
  const chosen = theme === "dark" || theme === "light" ? theme : null;
  const head = html`<meta name="color-scheme" content="${chosen ?? "light dark"}">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${assetPath(res, "display.css")}">
<link rel="stylesheet" href="${assetPath(res, "dark.css")}" media="${whenDark[chosen ?? "auto"]}">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<script src="${assetPath(res, "display.js")}" defer></script>
`;
  const body = html`<body>
<header><h1>${business.name}</h1>
<button id="sound" type="button" hidden>Turn the sound on</button>
<p id="clock" data-zone="${business.timezone ?? "UTC"}"></p></header>
<p id="lost" role="status" hidden></p>
<main id="display" data-events="${events}">
${queues}</main>
</body>
`;
  res.type("html").end(htmlDocument(res, { title: business.name, head, body }).text);
}
