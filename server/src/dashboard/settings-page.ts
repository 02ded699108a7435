import type { Response } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { hashSecret, newSecret } from "../rules/key.js";
import type { Business, Queue } from "../rules/records.js";
import { StaleError } from "../rules/stale.js";
import { formToken } from "./accounts/form-token.js";
import { ask } from "./ask.js";
import {
  asNumberOrNull,
  type FormState,
  fieldError,
  formCard,
  inputs,
  inRow,
  type Typed,
  untouchedForm,
} from "./forms.js";
import { copyable, type View } from "./layout.js";
import { orNotFound } from "./page-error.js";
import { dashboardPath } from "./request.js";
import { submitted } from "./resource.js";
import { done, type HandlerResult, type Redirect, type Visit } from "./visit.js";

/** The largest long-wait threshold: a day. */
const maxMinutes = 1_440;

const longWait = {
  schema: z.strictObject({
    longWaitMinutes: z
      .int(`must be a whole number from 1 to ${maxMinutes}, or empty`)
      .min(1, `must be at least 1`)
      .max(maxMinutes, `must be at most ${maxMinutes}`)
      .nullable(),
  }),
  fields: { longWaitMinutes: { label: "Minutes", read: asNumberOrNull } },
};

/** `POST /settings/long-wait` */
export function setLongWait(visit: Visit): Promise<HandlerResult> {
  const { req, store, business } = visit;
  const { replaces } = req.body;
  const seen = replaces === undefined ? {} : { longWaitMinutes: asNumberOrNull(replaces) };
  const show = (state: FormState) => showSettings(visit, state);
  return submitted(visit, longWait, show, async (change) => {
    orNotFound(await store.businesses.change(business.id, change, seen));
    return done("Saved. The board uses it the next time it is opened.", "/settings");
  });
}

/**
 * `POST /settings/display`: makes a link, which the response shows and the store keeps only as a hash. It
 * replaces the link that the form names, so a form that is sent again, by reloading the page, makes no other one.
 */
export async function makeDisplayLink(visit: Visit): Promise<HandlerResult> {
  const { req, res, store, random, baseUrl, business } = visit;
  const token = newSecret(random);
  const change = { displayHash: hashSecret(token) };
  const seen = { displayHash: req.body.replaces || null };
  try {
    orNotFound(await store.businesses.change(business.id, change, seen));
  } catch (error) {
    if (!(error instanceof StaleError)) throw error;
    const text =
      "The link has changed since that page was opened, so no other was made. Make another if you need one.";
    return { to: "/settings", flash: { kind: "warning", text } };
  }
  const link = `${baseUrl()}/dashboard/display/${token}`;
  const body = html`<section class="card" aria-labelledby="link-title">
<h2 id="link-title">The link to the display, shown only once</h2>
<p>Open it on the screen in the waiting room. Anyone with the link sees which tokens wait and which are called, but no names.</p>
${copyable("the-link", "Link", link)}
<p><a class="button primary" href="${dashboardPath(res, "/settings")}">I have copied it</a></p>
</section>
`;
  return { title: "Waiting-room display", body, status: 201 };
}

/** `POST /settings/display/options`: what the display shows. Open displays show it with their next request. */
export async function setDisplayOptions(visit: Visit): Promise<HandlerResult> {
  const { req, store, business } = visit;
  const queues = await store.queues.list(business.id);
  const chosen = chosenIn(req.body, queues);
  const displayQuery = queryOf(req.body, queues, chosen);
  const { replaces } = req.body;
  const seen = replaces === undefined ? {} : { displayQuery: String(replaces) };
  const show = (state: FormState) => showSettings(visit, untouchedForm, state);
  return submitted(visit, anyChoice, show, async () => {
    if (queues.length > 1 && chosen.length === 0) {
      return {
        field: "queue",
        message: "Tick at least one queue: a display shows the ticked ones.",
      };
    }
    orNotFound(await store.businesses.change(business.id, { displayQuery }, seen));
    return done("Saved. Each screen shows it within seconds.", "/settings");
  });
}

/** What is no choice is left out. */
const anyChoice = { schema: z.object({}) };

/** The queues that are ticked in a form. */
function chosenIn(body: Typed | undefined, queues: readonly Queue[]): readonly Queue[] {
  return queues.filter(({ id }) => [body?.queue ?? []].flat().includes(id));
}

/** The options of a form, as a query. It names no queue if all are chosen, so that later queues are shown too. */
function queryOf(
  body: Typed | undefined,
  queues: readonly Queue[],
  chosen: readonly Queue[],
): string {
  const query = new URLSearchParams();
  for (const name of ["theme", "size"]) {
    const value = String(body?.[name] ?? "");
    if (/^(dark|light|75|150)$/.test(value)) query.set(name, value);
  }
  if (chosen.length < queues.length) for (const { id } of chosen) query.append("queue", id);
  return query.toString();
}

/** The form of what the display shows. */
function displayOptions(
  res: Response,
  business: Business,
  queues: readonly Queue[],
  state: FormState,
): Html {
  const chosen = new URLSearchParams(business.displayQuery);
  const { select, check } = inputs(state);
  const error = state.errors.queue;
  const option = (value: string, label: string) => ({ value, label });
  const themes = [
    option("", "As the screen is set"),
    option("light", "Light"),
    option("dark", "Dark"),
  ];
  const sizes = [option("75", "Small"), option("", "Normal"), option("150", "Large")];
  const hint = "It shrinks until everything is on the screen.";
  const all = !queues.some(({ id }) => chosen.has("queue", id));
  const boxes = queues.map(({ id, name }) => {
    const checked = all || chosen.has("queue", id);
    return check({ name: "queue", value: id, label: name, checked });
  });
  return formCard(res, {
    action: "/settings/display/options",
    title: "What the display shows",
    state,
    submit: "Save",
    fields: [
      replacesField(business.displayQuery),
      inRow(
        select({ name: "theme", label: "Colors", options: themes, value: chosen.get("theme") }),
        select({ name: "size", label: "Size", hint, options: sizes, value: chosen.get("size") }),
      ),
      html`${
        queues.length > 1 &&
        html`<fieldset class="field"${error && html` aria-describedby="queue-error"`}><legend>Queues</legend>${boxes}${fieldError("queue", error)}</fieldset>`
      }`,
    ],
  });
}

/** `GET /settings/display`: asks before screens go dark. */
export function askToReplaceLink({ res, business: { displayHash } }: Visit): View | Redirect {
  if (displayHash === null) return { to: "/settings" };
  return ask(res, {
    title: "Replace the link?",
    text: html`Every screen that shows the display goes dark now. Open the new link on each of them. What the display shows stays as it is.`,
    action: "/settings/display",
    value: ["replaces", displayHash],
    yes: "Replace the link",
    no: "Keep it",
    back: "/settings",
  });
}

/** `GET /settings/display/revoke`: asks before screens go dark. */
export function askToRevokeLink({ res }: Visit): View {
  return ask(res, {
    title: "Revoke the link?",
    text: html`Every screen that shows the display goes dark at once.`,
    action: "/settings/display/revoke",
    yes: "Revoke it",
    no: "Keep it",
    back: "/settings",
  });
}

/** `POST /settings/display/revoke`: displays go dark at once. */
export async function revokeDisplayLink({ store, business }: Visit): Promise<Redirect> {
  orNotFound(await store.businesses.change(business.id, { displayHash: null }));
  return done("The link is revoked. Every screen that showed it is dark.", "/settings");
}

/** The setting as a form shows it: the form is refused if it has changed since. */
function replacesField(setting: string | number | null): Html {
  return html`<input type="hidden" name="replaces" value="${setting}">`;
}

/**
 * `GET /settings`: after how long a wait counts as long, and the waiting-room display. The states: of its two forms.
 */
export async function showSettings(
  { res, store, business }: Visit,
  longWaitState: FormState = untouchedForm,
  displayState: FormState = untouchedForm,
): Promise<View> {
  const queues = await store.queues.list(business.id);
  const minutes = inputs(longWaitState, longWait.fields).text({
    name: "longWaitMinutes",
    type: "number",
    hint: "Leave it empty to mark no wait.",
    value: business.longWaitMinutes,
    attributes: html`min="1" max="${maxMinutes}"`,
  });
  const text = html`<p>The board marks everyone who has waited this long.</p>
`;
  const form = formCard(res, {
    action: "/settings/long-wait",
    title: "Long waits",
    text,
    state: longWaitState,
    fields: [replacesField(business.longWaitMinutes), minutes],
    submit: "Save",
  });
  const options = displayOptions(res, business, queues, displayState);
  const body = html`${form}${displayLink(res, business)}${options}`;
  return { title: "Settings", body };
}

function displayLink(res: Response, { displayHash }: Business): Html {
  const here = dashboardPath(res, "/settings/display");
  const acts =
    displayHash === null
      ? html`<form method="post" action="${here}">${formToken(res)}<button class="primary" name="replaces" value="">Make the link</button></form>
`
      : html`<a class="button" href="${here}">Replace the link…</a><a class="button danger" href="${here}/revoke">Revoke the link…</a>
`;
  return html`<section class="card" aria-labelledby="display">
<h2 id="display">Waiting-room display <span class="badge ${displayHash === null ? "" : "good"}">${displayHash === null ? "Off" : "On"}</span></h2>
<p>A page for a screen in the waiting room: which tokens are called and which are next, with a chime for each call. It shows no names, and needs no sign-in: a link opens it.</p>
<div class="actions">
${acts}</div>
</section>
`;
}
