import { html } from "../../lib/html.js";
import type { Entry } from "../../rules/records.js";
import { ChangeAudit } from "../accounts/change-audit.js";
import { ask } from "../ask.js";
import type { View } from "../layout.js";
import { done, type Redirect, type Visit } from "../visit.js";
import { inPeople, nobodyLeft, notEnded, showEarlier, today } from "./people.js";

/** How many people one press ends. Each is a write of its own, and the browser waits for all of them. */
const maxEnded = 200;

const list = "/board/earlier";

/** `GET /board/earlier/end`: asks before the people of earlier days are ended. */
export async function askToEndEarlier(visit: Visit): Promise<View> {
  const people = await notEnded(visit);
  if (people.length === 0) return showEarlier(visit);
  const waiting = people.filter(({ status }) => status === "WAITING").length;
  const served = people.length - waiting;
  const become = waiting === 1 ? "who waits becomes a no-show" : "who wait become no-shows";
  const are = served === 1 ? "is" : "are";
  const ends = [
    waiting > 0 && `${inPeople(waiting)} ${become}`,
    served > 0 && `${inPeople(served)} in service ${are} completed`,
  ].filter(Boolean);
  const most = people.length > maxEnded ? ` At most ${maxEnded} are ended at once.` : "";
  return ask(visit.res, {
    title: "End everybody of earlier days?",
    text: html`${ends.join(", and ")}.${most} It can be undone for one person at a time only, on the page of the person.`,
    action: `${list}/end`,
    value: ["day", today(visit)],
    yes: "End them all",
    no: "Keep them",
    back: list,
  });
}

/**
 * `POST /board/earlier/end`: ends the people of earlier days, as the page of each of them does. The form names the day on
 * which it asked, because a new one may have begun since.
 */
export async function endEarlier(visit: Visit): Promise<Redirect> {
  const { req, audit } = visit;
  const warning = (text: string, to: string): Redirect => ({
    to,
    flash: { kind: "warning", text },
  });
  audit?.setPath(`${list}/end`); // each person has a row of their own
  if (req.body?.day !== today(visit)) {
    return warning("Another day has begun since, so nobody was ended.", "");
  }
  const found = await notEnded(visit);
  if (found.length === 0) return warning(nobodyLeft, "");
  const people = found.slice(0, maxEnded);
  let count = 0;
  for (const entry of people) if (await endPerson(visit, entry)) count++;
  const changed = people.length - count;
  const text = [
    `${inPeople(count)} of earlier days ${count === 1 ? "is" : "are"} ended.`,
    changed > 0 &&
      `${inPeople(changed)} ${changed === 1 ? "was" : "were"} changed by a colleague meanwhile.`,
    found.length > maxEnded && "There are more: end them too.",
  ].filter(Boolean);
  return text.length === 1 ? done(text.join(" "), "") : warning(text.join(" "), list);
}

/** Ends a person. Returns false, and ends nobody, if a colleague has changed the person since it was read. */
async function endPerson({ res, store, business }: Visit, entry: Entry): Promise<boolean> {
  const verb = entry.status === "IN_SERVICE" ? "complete" : "no-show";
  const now = store.now();
  const audit = new ChangeAudit(res, `/board/people/${entry.id}/${verb}`, now);
  const { outcome } = await store
    .audited(audit)
    .entries.transition(business.id, entry.id, verb, now, { seen: entry.revision });
  return outcome === "changed";
}
