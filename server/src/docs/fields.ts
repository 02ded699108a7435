import { Html, html } from "../lib/html.js";
import {
  type ApiDocument,
  fieldsOf,
  nameOf,
  type Parameter,
  resolved,
  type Schema,
} from "./api-document.js";
import { inlineMarkdown } from "./markdown.js";

/** The link to the fields of a named schema, relative to the current page. */
export type LinkToSchema = (name: string) => string;

/** A list of the fields of an object. The fields of a nested object follow it, named by their path. */
export function fieldList(
  document: ApiDocument,
  schema: Schema,
  link: LinkToSchema,
  { anchorPrefix = null }: { readonly anchorPrefix?: string | null } = {},
): Html {
  return html`<ul class="fields">
${fieldItems(document, schema, link, anchorPrefix, "")}</ul>
`;
}

function fieldItems(
  document: ApiDocument,
  schema: Schema,
  link: LinkToSchema,
  anchorPrefix: string | null,
  path: string,
): Html[] {
  return fieldsOf(document, schema).flatMap(({ name, schema: field, required }) => {
    const full = `${path}${name}`;
    const item = fieldItem({
      name: full,
      anchor: anchorPrefix === null ? null : `${anchorPrefix}.${full}`,
      type: typeOf(field, link),
      mark: required ? "" : "optional",
      note: noteOf(document, field),
    });
    const inner = field.$ref ? [] : fieldItems(document, field, link, anchorPrefix, `${full}.`);
    return [item, ...inner];
  });
}

/** The parameters of an operation that are sent in one location, such as the query. */
export function parameterList(
  document: ApiDocument,
  parameters: readonly Parameter[],
  link: LinkToSchema,
): Html {
  const items = parameters.map((parameter) =>
    fieldItem({
      name: parameter.name,
      anchor: parameter.name,
      type: typeOf(parameter.schema, link),
      mark: parameter.required ? "required" : "optional",
      note: noteOf(document, parameter.schema, parameter.description),
    }),
  );
  return html`<ul class="fields">
${items}</ul>
`;
}

interface Field {
  readonly name: string;
  readonly anchor: string | null;
  readonly type: Html;
  readonly mark: "required" | "optional" | "";
  readonly note: Html;
}

function fieldItem({ name, anchor, type, mark, note }: Field): Html {
  const named =
    anchor === null
      ? html`<code>${name}</code>`
      : html`<a class="anchor" href="#${anchor}"><code>${name}</code></a>`;
  return html`<li${anchor !== null && html` id="${anchor}"`}><div class="field">${named} <span class="type">${type}</span>${mark && html` <span class="mark ${mark}">${mark}</span>`}</div>${note.text !== "" && html`<div class="note">${note}</div>`}</li>
`;
}

/** A short description of a value's type. Named schemas are links. */
export function typeOf(schema: Schema, link: LinkToSchema): Html {
  if (schema.$ref) {
    const name = nameOf({ $ref: schema.$ref });
    return html`<a href="${link(name)}">${name}</a>`;
  }
  const choices =
    schema.anyOf ?? schema.oneOf ?? (schema.allOf?.length === 1 ? schema.allOf : null);
  if (choices)
    return joined(
      choices.map((one) => typeOf(one, link)),
      " or ",
    );
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["any"]);
  return joined(
    types.map((type) => kindOf(type, schema, link)),
    " or ",
  );
}

function kindOf(type: string, schema: Schema, link: LinkToSchema): Html {
  if (type === "array" && schema.items) return html`array of ${typeOf(schema.items, link)}`;
  return html`${type === "string" && schema.format ? `${schema.format} string` : type}`;
}

/** The description, values, bounds and default of a value. */
export function noteOf(
  document: ApiDocument,
  schema: Schema,
  description = schema.description,
): Html {
  const choices = schema.anyOf ?? schema.oneOf ?? (schema.$ref ? [schema] : []);
  const plain = resolved(document, choices.find(({ type }) => type !== "null") ?? {});
  const ruled = { ...plain, ...schema };
  const { minimum, maximum, minLength, maxLength, pattern } = ruled;
  const values = ruled.enum ?? (ruled.items && resolved(document, ruled.items).enum);
  const notes = [
    (description ?? plain.description) && inlineMarkdown(description ?? plain.description ?? ""),
    values &&
      html`One of ${joined(
        values.map((value) => html`<code>${String(value)}</code>`),
        ", ",
      )}.`,
    ...[`${minimum} to ${maximum}`, `${minLength} to ${maxLength} characters`]
      .filter((bounds) => !bounds.includes("undefined") && !description?.includes(bounds))
      .map((bounds) => html`${bounds}.`),
    pattern && html`Pattern <code>${pattern}</code>.`,
    ruled.default !== undefined && html`Default <code>${String(ruled.default)}</code>.`,
  ].filter((note) => note instanceof Html);
  return joined(notes, " ");
}

function joined(parts: readonly Html[], between: string): Html {
  return new Html(parts.map(({ text }) => text).join(between));
}
