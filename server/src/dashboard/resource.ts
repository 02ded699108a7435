import { id as idFormat } from "@queue-api/contract";
import type { z } from "zod";
import { type Html, html } from "../lib/html.js";
import type { CreationContext } from "../owner/creation-context.js";
import { idOfForm, newId } from "../rules/ids.js";
import { StaleError } from "../rules/stale.js";
import { ask, type Question } from "./ask.js";
import {
  type Fields,
  type FormState,
  idField,
  readForm,
  untouchedForm,
  withError,
} from "./forms.js";
import type { View } from "./layout.js";
import type { Handler, HandlerResult, Redirect, Routes, Visit } from "./visit.js";

/** The error of a valid form at a field; at the empty one for the form as a whole. */
export interface FormError {
  readonly field: string;
  readonly message: string;
}

/** What a form accepts. */
interface Accepted<Input> {
  readonly schema: z.ZodObject & z.ZodType<Input>;
  /** Default: the messages of the schema are whole sentences, see {@link readForm}. */
  readonly fields?: Fields;
}

const changedMeanwhile = "Another person has changed this. Save again to overwrite their change.";

/**
 * Reads a posted form and acts on it. `show` is its page, for a form that is refused. It is refused, too, if what it
 * changes was changed since the form was shown.
 */
export async function submitted<Input>(
  { req }: Visit,
  { schema, fields }: Accepted<Input>,
  show: (state: FormState) => View | Promise<View>,
  act: (input: Input) => Promise<HandlerResult | FormError>,
): Promise<HandlerResult> {
  const refuse = async (state: FormState) => ({ ...(await show(state)), status: 422 });
  const form = readForm(req, schema, fields);
  if (!form.ok) return refuse(form.state);
  const result = await act(form.value).catch((error: unknown) => {
    if (error instanceof StaleError) return { field: "", message: changedMeanwhile };
    throw error;
  });
  if (!result || !("message" in result)) return result;
  return refuse(withError(req, result.field, result.message));
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
export function newFormId({ store, random }: Visit): string {
  return newId(store.now(), random);
}

/** The record that a posted form makes. Sending the form twice makes one, because its id follows from the form. */
export function newRecord(visit: Visit) {
  const { req, store, random, business } = visit;
  const formId = idFormat.safeParse(req.body?.id).data ?? newFormId(visit);
  const context = { now: store.now(), random, id: idOfForm(business.id, formId) };
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
    act(
      visit: Visit,
      input: Input,
      context: CreationContext & { readonly id: string },
    ): Promise<HandlerResult | FormError>;
  };
  /** Absent: one is not shown, and cannot be changed. */
  readonly change?: Accepted<Change> & {
    /** `seen`: the revision that the form showed; null if it does not say. */
    act(
      visit: Visit,
      item: Item,
      input: Change,
      seen: number | null,
    ): Promise<HandlerResult | FormError>;
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
    act(visit: Visit, item: Item): Promise<HandlerResult>;
  };
}

/** The routes of a resource. */
export function resourceRoutes<Item extends { readonly id: string }, Input, Change>(
  resource: Resource<Item, Input, Change>,
): Routes {
  const { path, list, find, view, add, change, removal } = resource;
  const itemRoutes: Routes = change
    ? {
        [`GET ${path}/:id`]: async (visit) => view(visit, untouchedForm, await find(visit)),
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
      const { formId, context } = newRecord(visit);
      const show = (state: FormState) => view(visit, state, formId);
      return submitted(visit, add, show, (input) => add.act(visit, input, context));
    },
    [`GET ${path}/new`]: async (visit) => view(visit, untouchedForm, newFormId(visit)),
    ...itemRoutes,
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
