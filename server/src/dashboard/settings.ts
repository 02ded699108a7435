import type { Response } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { hashSecret, newSecret } from "../rules/key.js";
import type { Business, Queue } from "../rules/records.js";
import { ask } from "./ask.js";
import { orNotFound } from "./errors.js";
import {
  asNumberOrNull,
  type FormState,
  formCard,
  inputs,
  inRow,
  type Typed,
  untouched,
} from "./forms.js";
import { copyable, type View } from "./layout.js";
import { type Answer, done, type Redirect, type Visit } from "./page.js";
import { seenIn, submitted, targetField } from "./resource.js";
import { at } from "./root.js";

/** The largest long-wait threshold: a day. */
const mostMinutes = 1_440;

const longWait = {
  schema: z.strictObject({
    longWaitMinutes: z
      .int(`must be a whole number from 1 to ${mostMinutes}, or empty`)
      .min(1, `must be at least 1`)
      .max(mostMinutes, `must be at most ${mostMinutes}`)
      .nullable(),
  }),
  fields: { longWaitMinutes: { label: "Minutes", read: asNumberOrNull } },
};

/** `POST /settings/long-wait` */
export function setLongWait(visit: Visit): Promise<Answer> {
  const { store, business } = visit;
  const show = (state: FormState) => showSettings(visit, state);
  return submitted(visit, longWait, show, async (change) => {
    orNotFound(await store.businesses.change(business.id, change, seenIn(visit)));
    return done("Saved. The board uses it the next time it is opened.", "/settings");
  });
}

/**
 * `POST /settings/display`: makes a link, which the response shows and the store keeps only as a hash. It
 * replaces the link that the form names, so a form that is sent again, by reloading the page, makes no other one.
 */
export async function makeDisplayLink(visit: Visit): Promise<Answer> {
  const { req, res, store, random, baseUrl, business } = visit;
  if ((req.body?.replaces ?? "") !== (business.displayHash ?? "")) {
    const text =
      "That form has made its link, which was shown once. Make another if you did not copy it.";
    return { to: "/settings", said: { kind: "kindly", text } };
  }
  const token = newSecret(random);
  await changeLink(visit, hashSecret(token));
  const queues = await store.queues.list(business.id);
  const link = `${baseUrl()}/dashboard/display/${token}${displayQuery(req.body, queues)}`;
  const body = html`<section class="card" aria-labelledby="link-title">
<h2 id="link-title">The link to the display, shown this once</h2>
<p>Open it on the screen in the waiting room. Anyone with the link sees which tokens wait and which are called, but no names.</p>
${copyable("the-link", "Link", link)}
<p><a class="button primary" href="${at(res, "/settings")}">I have copied it</a></p>
</section>
`;
  return { title: "Waiting-room display", body, status: 201 };
}

/** What a display shows, as the query of its link. All queues are shown unless some of them are chosen. */
function displayQuery(body: Typed | undefined, queues: readonly Queue[]): string {
  const query = new URLSearchParams();
  for (const name of ["theme", "size"]) {
    const value = String(body?.[name] ?? "");
    if (/^(dark|light|75|150)$/.test(value)) query.set(name, value);
  }
  const chosen = queues.filter(({ id }) => [body?.queue ?? []].flat().includes(id));
  if (chosen.length < queues.length) for (const { id } of chosen) query.append("queue", id);
  return query.size === 0 ? "" : `?${query}`;
}

/** `GET /settings/display`: what the display shows, before its link is made. */
export async function showDisplayForm({ res, store, business }: Visit): Promise<View> {
  const queues = await store.queues.list(business.id);
  const isReplacement = business.displayHash !== null;
  const { select, check } = inputs(untouched);
  const option = (value: string, label: string) => ({ value, label });
  const themes = [
    option("", "As the screen is set"),
    option("light", "Light"),
    option("dark", "Dark"),
  ];
  const sizes = [option("75", "Small"), option("", "Normal"), option("150", "Large")];
  const hint = "It shrinks until everything is on the screen.";
  const boxes = queues.map(({ id, name }) =>
    check({ name: "queue", value: id, label: name, checked: true }),
  );
  const warning = html`<p class="flash kindly">Every screen that shows the display goes dark now. Open the new link on each of them.</p>`;
  const body = formCard(res, {
    ...{ action: "/settings/display", state: untouched, back: ["/settings", "Cancel"] },
    ...{ submit: isReplacement ? "Replace the link" : "Make the link" },
    text: html`${isReplacement && warning}`,
    fields: [
      html`<input type="hidden" name="replaces" value="${business.displayHash ?? ""}">`,
      inRow(
        select({ name: "theme", label: "Colors", options: themes }),
        select({ name: "size", label: "Size", hint, options: sizes }),
      ),
      html`${queues.length > 1 && html`<fieldset class="field"><legend>Queues</legend>${boxes}</fieldset>`}`,
    ],
  });
  return { title: "Waiting-room display", body };
}

/** `GET /settings/display/revoke`: asks before screens go dark. */
export function askToRevokeLink({ res }: Visit): View {
  return ask(res, {
    title: "Revoke the link?",
    text: html`Every screen that shows the display goes dark at once.`,
    ...{ action: "/settings/display/revoke", yes: "Revoke it", no: "Keep it", back: "/settings" },
  });
}

/** `POST /settings/display/revoke`: displays go dark at once. */
export async function revokeDisplayLink(visit: Visit): Promise<Redirect> {
  await changeLink(visit, null);
  return done("The link is revoked. Every screen that showed it is dark.", "/settings");
}

async function changeLink({ store, streams, business }: Visit, displayHash: string | null) {
  orNotFound(await store.businesses.change(business.id, { displayHash }));
  if (business.displayHash !== null) streams.ended("session", business.displayHash);
}

/** `GET /settings`: after how long a wait counts as long, and the link to the waiting-room display. */
export function showSettings({ res, business }: Visit, state: FormState = untouched): View {
  const minutes = inputs(state, longWait.fields).text({
    name: "longWaitMinutes",
    type: "number",
    hint: "Leave it empty to mark no wait.",
    value: business.longWaitMinutes,
    attributes: html`min="1" max="${mostMinutes}"`,
  });
  const text = html`<p>The board marks everyone who has waited this long.</p>
`;
  const form = formCard(res, {
    ...{ action: "/settings/long-wait", title: "Long waits", text, state },
    ...{ fields: [targetField(business), minutes], submit: "Save" },
  });
  return { title: "Settings", body: html`${form}${displaySettings(res, business)}` };
}

function displaySettings(res: Response, { displayHash }: Business): Html {
  const here = at(res, "/settings/display");
  const acts =
    displayHash === null
      ? html`<a class="button primary" href="${here}">Make a link…</a>
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
