import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { hashSecret, newSecret } from "../rules/key.js";
import type { Business, Queue } from "../rules/records.js";
import { formToken } from "./accounts/form-token.js";
import { ask } from "./ask.js";
import { orNotFound } from "./errors.js";
import { done } from "./flash.js";
import {
  asNumberOrNull,
  checkField,
  type FormState,
  readForm,
  selectField,
  type Typed,
  textField,
  untouched,
} from "./forms.js";
import type { View } from "./layout.js";
import type { DashboardDeps, Page } from "./page.js";
import { at } from "./root.js";
import { copyable } from "./secret.js";
import { signedIn } from "./signed-in.js";

/** Settings for the desk: after how long a wait counts as long, and the link to the waiting-room display. */
export const settings: Page = {
  path: "/settings",
  title: "Settings",
  inMenu: true,
  addRoutes: (router, deps) => {
    router.get("/settings", showSettings(deps));
    router.post("/settings/long-wait", setLongWait(deps));
    router.get("/settings/display", showDisplayForm(deps));
    router.post("/settings/display", makeDisplayLink(deps));
    router.get("/settings/display/revoke", askToRevokeLink(deps));
    router.post("/settings/display/revoke", revokeDisplayLink(deps));
  },
};

/** The largest long-wait threshold: a day. */
const mostMinutes = 1_440;

const longWaitForm = z.strictObject({
  longWaitMinutes: z
    .int(`must be a whole number from 1 to ${mostMinutes}, or empty`)
    .min(1, `must be at least 1`)
    .max(mostMinutes, `must be at most ${mostMinutes}`)
    .nullable(),
});

/** `GET /settings` */
function showSettings({ send }: DashboardDeps): RequestHandler {
  return (req, res) => send(req, res, view(res, signedIn(res).business, untouched));
}

/** `POST /settings/long-wait` */
function setLongWait({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const fields = { longWaitMinutes: { label: "Minutes", read: asNumberOrNull } };
    const checked = readForm(req, longWaitForm, fields);
    if (!checked.ok) {
      return send(req, res, { ...view(res, business, checked.state), status: 422 });
    }
    orNotFound(await store.businesses.change(business.id, checked.value));
    done(req, res, "Saved. The board uses it the next time it is opened.", "/settings");
  };
}

/**
 * `POST /settings/display`: makes a link, which the response shows and the store keeps only as a hash. It
 * replaces the previous link.
 */
function makeDisplayLink(deps: DashboardDeps): RequestHandler {
  const { store, random, baseUrl, send } = deps;
  return async (req, res) => {
    const { business } = signedIn(res);
    const token = newSecret(random);
    await changeLink(deps, business, hashSecret(token));
    const queues = await store.queues.list(business.id);
    const link = `${baseUrl()}/dashboard/display/${token}${displayQuery(req.body, queues)}`;
    const body = html`<section class="card" aria-labelledby="link-title">
<h2 id="link-title">The link to the display, shown this once</h2>
<p>Open it on the screen in the waiting room. Anyone with the link sees which tokens wait and which are called, but no names.</p>
${copyable("the-link", "Link", link)}
<p><a class="button primary" href="${at(res, "/settings")}">I have copied it</a></p>
</section>
`;
    send(req, res, { title: "Waiting-room display", body, status: 201 });
  };
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
function showDisplayForm({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const queues = await store.queues.list(business.id);
    const isReplacement = business.displayHash !== null;
    const option = (value: string, label: string) => ({ value, label });
    const themes = [
      option("", "As the screen is set"),
      option("light", "Light"),
      option("dark", "Dark"),
    ];
    const sizes = [option("75", "Small"), option("", "Normal"), option("150", "Large")];
    const boxes = queues.map(({ id, name }) =>
      checkField({ name: "queue", value: id, label: name, checked: true }, untouched),
    );
    const body = html`<form class="card" method="post" action="${at(res, "/settings/display")}">
${formToken(res)}${isReplacement && html`<p class="flash kindly">Every screen that shows the display goes dark now. Open the new link on each of them.</p>`}<div class="fields">
${selectField({ name: "theme", label: "Colors", options: themes }, untouched)}${selectField({ name: "size", label: "Size", hint: "It shrinks until everything is on the screen.", options: sizes, value: "" }, untouched)}</div>
${queues.length > 1 && html`<fieldset class="field"><legend>Queues</legend>${boxes}</fieldset>`}<div class="actions"><button class="primary">${isReplacement ? "Replace the link" : "Make the link"}</button><a class="button quiet" href="${at(res, "/settings")}">Cancel</a></div>
</form>
`;
    send(req, res, { title: "Waiting-room display", body });
  };
}

/** `GET /settings/display/revoke`: asks before screens go dark. */
function askToRevokeLink({ send }: DashboardDeps): RequestHandler {
  const question = {
    title: "Revoke the link?",
    text: html`Every screen that shows the display goes dark at once.`,
    ...{ action: "/settings/display/revoke", yes: "Revoke it", no: "Keep it", back: "/settings" },
  };
  return (req, res) => send(req, res, ask(res, question));
}

/** `POST /settings/display/revoke`: displays go dark at once. */
function revokeDisplayLink(deps: DashboardDeps): RequestHandler {
  return async (req, res) => {
    await changeLink(deps, signedIn(res).business, null);
    done(req, res, "The link is revoked. Every screen that showed it is dark.", "/settings");
  };
}

async function changeLink(
  { store, displays }: DashboardDeps,
  { id, displayHash: before }: Business,
  displayHash: string | null,
): Promise<void> {
  orNotFound(await store.businesses.change(id, { displayHash }));
  if (before !== null) displays.ended(before);
}

function view(res: Response, business: Business, state: FormState): View {
  const { longWaitMinutes } = business;
  const minutes = textField(
    {
      name: "longWaitMinutes",
      label: "Minutes",
      type: "number",
      hint: "Leave it empty to mark no wait.",
      value: `${longWaitMinutes ?? ""}`,
      attributes: html`min="1" max="${mostMinutes}"`,
    },
    state,
  );
  const body = html`<form class="card" method="post" action="${at(res, "/settings/long-wait")}">
${formToken(res)}<h2>Long waits</h2>
<p>The board marks everyone who has waited this long.</p>
${minutes}<div class="actions"><button class="primary">Save</button></div>
</form>
${displaySettings(res, business)}`;
  return { title: "Settings", body };
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
