import { id as idFormat } from "@queue-api/contract";
import type { z } from "zod";
import { type Html, html } from "../lib/html.js";
import type { Store } from "../operations/store.js";
import type { CreationContext } from "../owner/creation-context.js";
import { idOfForm, newId } from "../rules/ids.js";
import { StaleError } from "../rules/stale.js";
import { formToken } from "./accounts/form-token.js";
import { ask, type Question } from "./ask.js";
import {
  type Fields,
  type FormState,
  formCard,
  idField,
  readForm,
  untouched,
  withFault,
} from "./forms.js";
import type { View } from "./layout.js";
import { type Answer, done, type Handler, type Redirect, type Routes, type Visit } from "./page.js";
import { orNotFound } from "./page-error.js";
import { at } from "./request.js";
import { stackTable } from "./tables.js";

/** Why a valid form was refused, at a field; at the empty one for the form as a whole. */
export interface Fault {
  readonly field: string;
  readonly fault: string;
}

/** What a form accepts. */
interface Accepted<Input> {
  readonly schema: z.ZodObject & z.ZodType<Input>;
  /** Default: the messages of the schema are whole sentences, see {@link readForm}. */
  readonly fields?: Fields;
}

const changedMeanwhile = "Another person changed this meanwhile. Save again to replace that.";

/**
 * Reads a posted form and acts on it. `show` is its page, for a form that is refused. It is refused, too, if what it
 * changes was changed since the form was shown.
 */
export async function submitted<Input>(
  { req }: Visit,
  { schema, fields }: Accepted<Input>,
  show: (state: FormState) => View | Promise<View>,
  act: (input: Input) => Promise<Answer | Fault>,
): Promise<Answer> {
  const refuse = async (state: FormState) => ({ ...(await show(state)), status: 422 });
  const form = readForm(req, schema, fields);
  if (!form.ok) return refuse(form.state);
  const answer = await act(form.value).catch((error: unknown) => {
    if (error instanceof StaleError) return { field: "", fault: changedMeanwhile };
    throw error;
  });
  if (!answer || !("fault" in answer)) return answer;
  return refuse(withFault(req, answer.field, answer.fault));
}

/** The hidden field of a form: the id of the record that it makes, or the revision of the one that it changes. */
export function targetField(target: { readonly revision: number } | string): Html {
  if (typeof target === "string") return idField(target);
  return html`<input type="hidden" name="revision" value="${target.revision}">`;
}

/** The revision of the record that a form showed; null if it does not say. */
export function seenIn({ req }: Pick<Visit, "req">): number | null {
  const given = String(req.body?.revision ?? "");
  return /^\d{1,15}$/.test(given) ? Number(given) : null;
}

/** The id in a new form, of which {@link newRecord} makes the id of the record. */
export async function newFormId({ store, random }: Visit): Promise<string> {
  return newId(await store.now(), random);
}

/** The record that a posted form makes. Sending the form twice makes one, because its id follows from the form. */
export async function newRecord(visit: Visit) {
  const { req, store, random, business } = visit;
  const formId = idFormat.safeParse(req.body?.id).data ?? (await newFormId(visit));
  const context = { now: await store.now(), random, id: idOfForm(business.id, formId) };
  return { formId, context };
}

/** Records of a business, such as its keys: how its pages list, show, add, change and remove them. */
export interface Resource<Item, Input, Change = Input> {
  /** The path of the list. One is at `path/:id`. */
  readonly path: string;
  readonly list: Handler;
  /** Throws `PageNotFound` if the business has none with the id in the path. */
  readonly find: (visit: Visit) => Promise<Item>;
  /** The page with the form. `target`: one to change, or the id in the form of a new one. */
  readonly view: (visit: Visit, state: FormState, target: Item | string) => Promise<View>;
  readonly add: Accepted<Input> & {
    act(visit: Visit, input: Input, context: Required<CreationContext>): Promise<Answer | Fault>;
  };
  /** Absent: one is not shown, and cannot be changed. */
  readonly change?: Accepted<Change> & {
    /** `seen`: the revision that the form showed; null if it does not say. */
    act(visit: Visit, item: Item, input: Change, seen: number | null): Promise<Answer | Fault>;
  };
  readonly removal: {
    readonly verb: "remove" | "revoke";
    /** Why it cannot be removed now; the question is not asked then. Default: it always can. */
    blocked?(visit: Visit, item: Item): Promise<Redirect | null>;
    /** The question before. `back`: where "no" leads, by default to the list. */
    question(
      item: Item,
      visit: Visit,
    ): Pick<Question, "title" | "text"> & { readonly back?: string };
    act(visit: Visit, item: Item): Promise<Answer>;
  };
}

/** The routes of a resource. */
export function resourceRoutes<Item extends { readonly id: string }, Input, Change>(
  resource: Resource<Item, Input, Change>,
): Routes {
  const { path, list, find, view, add, change, removal } = resource;
  const shown: Routes = change
    ? {
        [`GET ${path}/:id`]: async (visit) => view(visit, untouched, await find(visit)),
        [`POST ${path}/:id`]: async (visit) => {
          const item = await find(visit);
          const show = (state: FormState) => view(visit, state, item);
          const seen = seenIn(visit);
          return submitted(visit, change, show, (input) => change.act(visit, item, input, seen));
        },
      }
    : {};
  const removing = `${path}/:id/${removal.verb}`;
  return {
    [`GET ${path}`]: list,
    [`POST ${path}`]: async (visit) => {
      const { formId, context } = await newRecord(visit);
      const show = (state: FormState) => view(visit, state, formId);
      return submitted(visit, add, show, (input) => add.act(visit, input, context));
    },
    [`GET ${path}/new`]: async (visit) => view(visit, untouched, await newFormId(visit)),
    ...shown,
    [`GET ${removing}`]: async (visit) => {
      const item = await find(visit);
      const blocked = await removal.blocked?.(visit, item);
      if (blocked) return blocked;
      const { back = path, ...question } = removal.question(item, visit);
      const yes = removal.verb === "remove" ? "Remove it" : "Revoke it";
      const action = `${path}/${item.id}/${removal.verb}`;
      return ask(visit.res, { ...question, action, yes, no: "Keep it", back });
    },
    [`POST ${removing}`]: async (visit) => removal.act(visit, await find(visit)),
  };
}

/** Records with a name that the business lists in one table, and switches on and off: queues and services. */
interface NamedResource<Item extends Named> {
  readonly path: string;
  readonly title: string;
  /** One of them, such as "queue". */
  readonly one: string;
  /** What they are for, where there are none yet. */
  readonly purpose: string;
  /** The part of the store that keeps them. */
  readonly kept: (store: Store) => Kept<Item>;
  readonly add: (
    store: Store,
    businessId: string,
    input: InputOf<Item>,
    context: CreationContext,
  ) => Promise<Item | null>;
  /** Why one more cannot be added, if `add` returns null. */
  readonly tooMany: string;
  readonly schema: z.ZodObject & z.ZodType<InputOf<Item>>;
  readonly fields: Fields;
  /** The fields of the form. `item`: null for a new one. */
  readonly form: (state: FormState, item: Item | null, all: readonly Item[]) => readonly Html[];
  /** The columns of the list after the name, and what they show. */
  readonly columns: readonly (readonly [heading: string, cell: (item: Item) => Html | string])[];
  /** The button that switches one on and off. */
  readonly toggle: {
    readonly field: keyof Item & string;
    readonly labels: { readonly on: string; readonly off: string };
    readonly said: { readonly on: string; readonly off: string };
  };
  /** What the owner should know about one, now that it is saved; null for nothing. Default: null. */
  readonly warning?: (item: Item, others: readonly Item[]) => string | null;
}

/** The operations of records that are listed in one table. */
interface Kept<Item> {
  list(businessId: string): Promise<readonly Item[]>;
  change(
    businessId: string,
    id: string,
    change: Partial<InputOf<Item>>,
    seen?: number | null,
  ): Promise<Item | null>;
  /** Puts them in this order. Absent: the order cannot be changed. */
  reorder?(businessId: string, ids: readonly string[]): Promise<void>;
  /** Whether another record refers to it, or may soon, so that it cannot be removed. */
  isInUse(businessId: string, id: string): Promise<boolean>;
  remove(businessId: string, id: string): Promise<"removed" | "in_use" | "not_found">;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
}

type InputOf<Item> = Omit<Item, "id" | "businessId" | "revision">;

/** The routes of a resource that is listed in one table. */
export function namedRoutes<Item extends Named>(resource: NamedResource<Item>): Routes {
  const { path, title, one, kept, toggle, schema, fields } = resource;
  const all = ({ store, business }: Visit) => kept(store).list(business.id);

  async function saved(visit: Visit, item: Item, text: string): Promise<Redirect> {
    const others = (await all(visit)).filter(({ id }) => id !== item.id);
    const warning = resource.warning?.(item, others) ?? null;
    if (warning === null) return done(text, path);
    return { to: path, said: { kind: "kindly", text: `${text} ${warning}` } };
  }

  function inUse(name: string): Redirect {
    const text = `${name} is in use, so it stays. ${toggle.labels.off} it instead.`;
    return { to: path, said: { kind: "kindly", text } };
  }

  async function changed(
    visit: Visit,
    change: Partial<InputOf<Item>>,
    outcome: string,
    seen: number | null = null,
  ) {
    const { store, business, id } = visit;
    const item = orNotFound(await kept(store).change(business.id, id, change, seen));
    return saved(visit, item, `${item.name} ${outcome}.`);
  }

  const routes = resourceRoutes<Item, InputOf<Item>, InputOf<Item>>({
    path,
    find: async (visit) => orNotFound((await all(visit)).find(({ id }) => id === visit.id)),
    async list(visit) {
      const { res } = visit;
      const items = await all(visit);
      const actions = html`<a class="button primary" href="${at(res, `${path}/new`)}">New ${one}</a>
`;
      const none = html`<div class="empty">
<p>${resource.purpose}</p>
<p><a class="button" href="${at(res, `${path}/new`)}">Add the first ${one}</a></p>
</div>
`;
      return { title, actions, body: items.length === 0 ? none : table(visit, items) };
    },
    async view(visit, state, target) {
      const item = typeof target === "string" ? null : target;
      const { res } = visit;
      const body = formCard(res, {
        ...{ action: item ? `${path}/${item.id}` : path, state },
        fields: [targetField(target), ...resource.form(state, item, await all(visit))],
        ...{ submit: item ? "Save" : `Add the ${one}`, back: [path, "Cancel"] },
        more:
          item &&
          html`<a class="button danger" href="${at(res, `${path}/${item.id}/remove`)}">Remove…</a>`,
      });
      return { title: item?.name ?? `New ${one}`, body };
    },
    add: {
      ...{ schema, fields },
      async act(visit, input, context) {
        const known = (await all(visit)).find(({ id }) => id === context.id);
        const { store, business } = visit;
        const item = known ?? (await resource.add(store, business.id, input, context));
        if (item === null) return { field: "", fault: resource.tooMany };
        return saved(visit, item, `${item.name} is added.`);
      },
    },
    change: {
      ...{ schema, fields },
      act: (visit, _, input, seen) => changed(visit, input, "is changed", seen),
    },
    removal: {
      verb: "remove",
      blocked: async ({ store, business }, { id, name }) =>
        (await kept(store).isInUse(business.id, id)) ? inUse(name) : null,
      question: ({ name }) => ({
        title: `Remove this ${one}?`,
        text: html`<strong>${name}</strong> is removed. Nothing refers to it yet.`,
      }),
      async act({ store, business }, { id, name }) {
        if ((await kept(store).remove(business.id, id)) === "removed") {
          return done(`${name} is removed.`, path);
        }
        return inUse(name);
      },
    },
  });

  function table({ res, store }: Visit, items: readonly Item[]): Html {
    const canMove = kept(store).reorder !== undefined;
    const rows = items.map((item, place) => {
      const here = at(res, `${path}/${item.id}`);
      const isOn = item[toggle.field] === true;
      const label = isOn ? toggle.labels.off : toggle.labels.on;
      return [
        html`<a href="${here}">${item.name}</a>`,
        ...resource.columns.map(([, cell]) => cell(item)),
        html`<div class="actions">${place > 0 && canMove && html`<form method="post" action="${here}/up">${formToken(res)}<button class="quiet" id="up-${item.id}">Move up<span class="visually-hidden">: ${item.name}</span></button></form>`}<form method="post" action="${here}/switch">${formToken(res)}<button id="switch-${item.id}" name="${toggle.field}" value="${isOn ? "off" : "on"}">${label}<span class="visually-hidden"> ${item.name}</span></button></form></div>`,
      ];
    });
    const columns = ["Name", ...resource.columns.map(([heading]) => heading)];
    const caption = `${title}, in their order`;
    const ids = items.map(({ id }) => `item-${id}`);
    return html`<section class="card" id="items" data-live>${stackTable({ caption, columns, rows, ids, hasActs: true })}</section>
`;
  }

  return {
    ...routes,
    [`POST ${path}/:id/up`]: async (visit) => {
      const { store, business } = visit;
      const ids = (await all(visit)).map(({ id }) => id);
      const place = ids.indexOf(visit.id);
      if (place > 0) ids.splice(place - 1, 0, ...ids.splice(place, 1));
      await kept(store).reorder?.(business.id, ids);
      return { to: path };
    },
    [`POST ${path}/:id/switch`]: (visit) => {
      const isOn = visit.req.body?.[toggle.field] === "on";
      const change = { [toggle.field]: isOn } as Partial<InputOf<Item>>;
      return changed(visit, change, isOn ? toggle.said.on : toggle.said.off);
    },
  };
}
