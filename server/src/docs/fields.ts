import { Html, html } from "../lib/html.js";
import { fieldsOf, type Parameter, type Schema } from "./api-document.js";
import { inlineMarkdown } from "./markdown.js";

/** A list of names, each with a note about it. */
export function list(items: readonly Html[]): Html {
  return html`<ul class="fields">
${items}</ul>
`;
}

/** An item of a list. `anchor`: its id, which its name then links to. */
export function item(name: Html, about: Html, note: Html, anchor: string | null = null): Html {
  const named = anchor === null ? name : html`<a class="anchor" href="#${anchor}">${name}</a>`;
  return html`<li${anchor !== null && html` id="${anchor}"`}><div class="named">${named} ${about}</div>${note.text !== "" && html`<div class="note">${note}</div>`}</li>
`;
}

/**
 * A list of the fields of an object. The fields of a nested object follow it, named by their path. `anchorPrefix`: the
 * start of the ids of its items. Default: they have none.
 */
export function fieldList(schema: Schema, anchorPrefix?: string): Html {
  const items = (of: Schema, path: string): Html[] =>
    fieldsOf(of).flatMap(({ name, schema: field, required }) => {
      const full = `${path}${name}`;
      const about = html`<span>${typeOf(field)}</span>${!required && html` <span>optional</span>`}`;
      const anchor = anchorPrefix === undefined ? null : `${anchorPrefix}.${full}`;
      const own = item(html`<code>${full}</code>`, about, noteOf(field), anchor);
      return [own, ...(field.named ? [] : items(field, `${full}.`))];
    });
  return list(items(schema, ""));
}

/** The parameters of an operation that are sent in one location, such as the query. */
export function parameterList(parameters: readonly Parameter[]): Html {
  const items = parameters.map(({ name, required, schema, description }) => {
    const mark = required
      ? html`<span class="required">required</span>`
      : html`<span>optional</span>`;
    const about = html`<span>${typeOf(schema)}</span> ${mark}`;
    return item(html`<code>${name}</code>`, about, noteOf(schema, description), name);
  });
  return list(items);
}

/** A short description of a value's type. Named schemas are links. */
export function typeOf(schema: Schema): Html {
  const { named, type = "any", format, items } = schema;
  if (named) return html`<a href="schemas#${named}">${named}</a>`;
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const kinds = [type].flat().map((one) => {
    if (one === "array" && items) return html`array of ${typeOf(items)}`;
    return html`${one === "string" && format ? `${format} string` : one}`;
  });
  return joined(kinds, " or ");
}

/** The description, values, bounds and default of a value. */
export function noteOf(schema: Schema, description = schema.description): Html {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const values = schema.enum ?? schema.items?.enum;
  const notes = [
    description && inlineMarkdown(description),
    values &&
      html`One of ${joined(
        values.map((value) => html`<code>${String(value)}</code>`),
        ", ",
      )}.`,
    ...[`${minimum} to ${maximum}`, `${minLength} to ${maxLength} characters`]
      .filter((bounds) => !bounds.includes("undefined") && !description?.includes(bounds))
      .map((bounds) => html`${bounds}.`),
    pattern && html`Pattern <code>${pattern}</code>.`,
    schema.default !== undefined && html`Default <code>${String(schema.default)}</code>.`,
  ].filter((note) => note instanceof Html);
  return joined(notes, " ");
}

/** Puts a text between parts. */
export function joined(parts: readonly Html[], between: string): Html {
  return new Html(parts.map(({ text }) => text).join(between));
}
