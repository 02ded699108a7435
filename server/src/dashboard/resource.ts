import { id as idFormat } from "@queue-api/contract";
import type { Request, Response } from "express";
import type { z } from "zod";
import { type Html, html } from "../lib/html.js";
import type { CreationContext } from "../owner/creation-context.js";
import { idOfForm, newId } from "../rules/ids.js";
import type { RemoveOutcome } from "../store/port/business.js";
import type { Store } from "../store/store.js";
import { formToken } from "./accounts/form-token.js";
import { ask } from "./ask.js";
import { orNotFound } from "./errors.js";
import { done, leaveFlash } from "./flash.js";
import { type Fields, type FormState, formError, readForm, untouched, withFault } from "./forms.js";
import type { DashboardDeps, Page } from "./page.js";
import { at } from "./root.js";
import { signedIn } from "./signed-in.js";
import { stackTable } from "./tables.js";

/** Things that a business has, such as its queues: how the owner's page lists, adds, changes and switches them. */
export interface Resource<Item extends { readonly id: string; readonly name: string }> {
  readonly path: string;
  readonly title: string;
  /** One of them, such as "queue". */
  readonly one: string;
  /** What they are for, where there are none yet. */
  readonly purpose: string;
  readonly list: (store: Store, businessId: string) => Promise<readonly Item[]>;
  readonly add: (
    store: Store,
    businessId: string,
    options: Omit<Item, "id" | "businessId">,
    context: CreationContext,
  ) => Promise<Item | null>;
  /** Why one more cannot be added, if `add` returns null. */
  readonly tooMany: string;
  readonly change: (
    store: Store,
    businessId: string,
    id: string,
    change: Partial<Omit<Item, "id" | "businessId">>,
  ) => Promise<Item | null>;
  readonly schema: z.ZodObject & z.ZodType<Omit<Item, "id" | "businessId">>;
  readonly fields: Fields;
  /** The fields of the form. `item`: null for a new one. */
  readonly form: (state: FormState, item: Item | null, all: readonly Item[]) => Html;
  /** The columns of the list after the name, and what they show. */
  readonly columns: readonly (readonly [heading: string, cell: (item: Item) => Html | string])[];
  /** The button that switches one on and off. */
  readonly toggle: {
    readonly field: keyof Item & string;
    readonly labels: { readonly on: string; readonly off: string };
    readonly said: { readonly on: string; readonly off: string };
  };
  readonly remove: (store: Store, businessId: string, id: string) => Promise<RemoveOutcome>;
  /** Puts them in this order. Absent: the order cannot be changed. */
  readonly reorder?: (store: Store, businessId: string, ids: readonly string[]) => Promise<void>;
  /** What the owner should know about one, now that it is saved; null for nothing. Default: null. */
  readonly warning?: (item: Item, all: readonly Item[]) => string | null;
}

/** The page of a resource. */
export function resourcePage<Item extends { readonly id: string; readonly name: string }>(
  resource: Resource<Item>,
): Page {
  const { path, title, one, list, schema, fields, toggle } = resource;

  async function saved(
    req: Request,
    res: Response,
    { store }: DashboardDeps,
    item: Item,
    text: string,
  ) {
    const all = await list(store, signedIn(res).business.id);
    const warning =
      resource.warning?.(
        item,
        all.filter(({ id }) => id !== item.id),
      ) ?? null;
    const kind = warning === null ? "done" : "kindly";
    leaveFlash(req, res, { kind, text: warning === null ? text : `${text} ${warning}` });
    res.redirect(303, at(res, path));
  }

  const view = (res: Response, state: FormState, all: readonly Item[], target: Item | string) => {
    const item = typeof target === "string" ? null : target;
    // The id of the new one follows from this one: sending the form twice adds one.
    const newOne =
      item === null && html`<input type="hidden" name="id" value="${target as string}">`;
    const body = html`${formError(state)}<form class="card" method="post" action="${at(res, item ? `${path}/${item.id}` : path)}">
${formToken(res)}${newOne}${resource.form(state, item, all)}<div class="actions"><button class="primary">${item ? "Save" : `Add the ${one}`}</button><a class="button quiet" href="${at(res, path)}">Cancel</a>${item && html`<a class="button danger" href="${at(res, `${path}/${item.id}/remove`)}">Remove…</a>`}</div>
</form>
`;
    return { title: item?.name ?? `New ${one}`, body };
  };

  return {
    path,
    title,
    addRoutes: (router, deps) => {
      const { store, random, send } = deps;
      const all = (res: Response) => list(store, signedIn(res).business.id);
      const own = async (res: Response, id: string) =>
        orNotFound((await all(res)).find((item) => item.id === id));

      router.get(path, async (req, res) => {
        const items = await all(res);
        const actions = html`<a class="button primary" href="${at(res, `${path}/new`)}">New ${one}</a>
`;
        const body = items.length === 0 ? none(res, resource) : table(res, resource, items);
        send(req, res, { title, actions, body });
      });
      router.post(path, async (req, res) => {
        const now = await store.now();
        const formId = idFormat.safeParse(req.body?.id).data ?? newId(now, random);
        const id = idOfForm(signedIn(res).business.id, formId);
        const items = await all(res);
        const known = items.find((item) => item.id === id);
        const checked = readForm(req, schema, fields);
        if (!checked.ok) {
          return send(req, res, { ...view(res, checked.state, items, formId), status: 422 });
        }
        const context = { now, random, id };
        const made =
          known ?? (await resource.add(store, signedIn(res).business.id, checked.value, context));
        if (made === null) {
          const state = withFault(req, "", resource.tooMany);
          return send(req, res, { ...view(res, state, items, formId), status: 422 });
        }
        await saved(req, res, deps, made, `The ${one} is added.`);
      });
      router.get(`${path}/new`, async (req, res) => {
        const id = newId(await store.now(), random);
        send(req, res, view(res, untouched, await all(res), id));
      });
      router.get(`${path}/:id`, async (req, res) => {
        send(req, res, view(res, untouched, await all(res), await own(res, req.params.id)));
      });
      router.post(`${path}/:id`, async (req, res) => {
        const item = await own(res, req.params.id);
        const checked = readForm(req, schema, fields);
        if (!checked.ok) {
          return send(req, res, { ...view(res, checked.state, await all(res), item), status: 422 });
        }
        const { business } = signedIn(res);
        const changed = await resource.change(store, business.id, item.id, checked.value);
        await saved(req, res, deps, orNotFound(changed), `The ${one} is changed.`);
      });
      router.get(`${path}/:id/remove`, async (req, res) => {
        const { id, name } = await own(res, req.params.id);
        const question = {
          title: `Remove this ${one}?`,
          text: html`<strong>${name}</strong> is removed, if nothing refers to it yet.`,
          ...{ action: `${path}/${id}/remove`, yes: "Remove it", no: "Keep it", back: path },
        };
        send(req, res, ask(res, question));
      });
      router.post(`${path}/:id/remove`, async (req, res) => {
        const { id, name } = await own(res, req.params.id);
        const outcome = await resource.remove(store, signedIn(res).business.id, id);
        if (outcome === "removed") return done(req, res, `The ${one} is removed.`, path);
        const text = `${name} is in use, so it stays. ${toggle.labels.off} it instead.`;
        leaveFlash(req, res, { kind: "kindly", text });
        res.redirect(303, at(res, path));
      });
      router.post(`${path}/:id/up`, async (req, res) => {
        const ids = (await all(res)).map(({ id }) => id);
        const place = ids.indexOf(req.params.id);
        if (place > 0) ids.splice(place - 1, 0, ...ids.splice(place, 1));
        await resource.reorder?.(store, signedIn(res).business.id, ids);
        res.redirect(303, at(res, path));
      });
      router.post(`${path}/:id/switch`, async (req, res) => {
        const isOn = req.body?.[toggle.field] === "on";
        const change = { [toggle.field]: isOn } as Partial<Item>;
        const { business } = signedIn(res);
        const item = orNotFound(await resource.change(store, business.id, req.params.id, change));
        await saved(req, res, deps, item, isOn ? toggle.said.on : toggle.said.off);
      });
    },
  };
}

function none<Item extends { readonly id: string; readonly name: string }>(
  res: Response,
  { path, one, purpose }: Resource<Item>,
): Html {
  return html`<div class="empty">
<p>${purpose}</p>
<p><a class="button" href="${at(res, `${path}/new`)}">Add the first ${one}</a></p>
</div>
`;
}

function table<Item extends { readonly id: string; readonly name: string }>(
  res: Response,
  { path, title, columns, toggle, reorder }: Resource<Item>,
  items: readonly Item[],
): Html {
  const rows = items.map((item, place) => {
    const here = at(res, `${path}/${item.id}`);
    const isOn = item[toggle.field] === true;
    const label = isOn ? toggle.labels.off : toggle.labels.on;
    return [
      html`<a href="${here}">${item.name}</a>`,
      ...columns.map(([, cell]) => cell(item)),
      html`<div class="actions">${place > 0 && reorder && html`<form method="post" action="${here}/up">${formToken(res)}<button class="quiet">Move up<span class="visually-hidden">: ${item.name}</span></button></form>`}<form method="post" action="${here}/switch">${formToken(res)}<button name="${toggle.field}" value="${isOn ? "off" : "on"}">${label}<span class="visually-hidden"> ${item.name}</span></button></form></div>`,
    ];
  });
  return html`<section class="card">${stackTable({
    caption: `${title}, in their order`,
    columns: ["Name", ...columns.map(([heading]) => heading)],
    rows,
    hasActs: true,
  })}</section>
`;
}
