import { commonHeaders } from "@queue-api/contract";
import { Html, html } from "../html.js";
import { type Heading, inlineMarkdown, paragraphs } from "./markdown.js";

/** As much of an OpenAPI document as the page shows. */
interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

interface Header {
  readonly description: string;
  readonly example?: unknown;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Schema;
      readonly example?: unknown;
      /** Of an error answer: by the codes that it can carry. */
      readonly examples?: Readonly<Record<string, unknown>>;
    }
  >
>;
interface Reference {
  readonly $ref: string;
}

interface Schema extends Partial<Reference> {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The reference of all endpoints and objects, made from the OpenAPI document that the service serves. */
export function referencePage(openApi: object): { body: Html; headings: Heading[] } {
  const document = openApi as Document;
  const objects = Object.entries(document.components.schemas).filter(
    ([, { properties }]) => !properties?.data, // the envelopes stand where they are answered
  );
  const body = html`<p>Version ${document.info.version}. Made from <a href="../v1/openapi.json">the OpenAPI document</a>, which generators of clients read.</p>
${paragraphs(document.info.description)}
${document.tags.map((tag) => tagSection(document, tag))}
<h2 id="headers">Headers of every answer</h2>
${headerTable(commonHeaders)}
<h2 id="objects">Objects</h2>
${objects.map(
  ([name, schema]) => html`<h3 id="${name}">${name}</h3>
${schema.description && html`<p>${inlineMarkdown(schema.description)}</p>`}
${schema.properties ? fieldTable(schema) : html`<p>${typeOf(schema)}</p>`}`,
)}`;
  const headings = [
    ...document.tags.map(({ name }) => ({ id: name.toLowerCase(), title: name })),
    { id: "headers", title: "Headers" },
    { id: "objects", title: "Objects" },
  ];
  return { body, headings };
}

function tagSection(document: Document, { name, description }: Document["tags"][number]): Html {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, operation]) => operationSection(document, method, path, operation)),
  );
  return html`<h2 id="${name.toLowerCase()}">${name}</h2>
<p>${inlineMarkdown(description)}</p>
${operations}`;
}

function operationSection(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const [success, ...refusals] = Object.entries(responses).map(
    ([status, response]) => [status, resolved(document, response)] as const,
  );
  const sent = requestBody?.content["application/json"];
  const answered = success?.[1].content?.["application/json"];
  const codes = refusals.flatMap(([, { content }]) => codesOf(content));
  const own = Object.entries(success?.[1].headers ?? {}).filter(
    ([, header]) => !("$ref" in header),
  );
  return html`<section class="operation">
<h3 id="${operationId}">${summary}</h3>
<p class="route"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></p>
${description && paragraphs(description)}
${parameters.length > 0 && parameterTable(parameters)}
${
  sent &&
  html`<h4>Body</h4>
<p>${typeOf(sent.schema)}. ${requestBody.description}</p>
${code(sent.example)}`
}
<h4>Answer ${success?.[0]}</h4>
${answered && html`<p>${envelopeOf(document, answered.schema)}</p>`}
${answered?.example !== undefined && code(answered.example)}
${own.length > 0 && headerTable(Object.fromEntries(own) as Record<string, Header>)}
<p class="refusals">Refusals: ${joined(codes.map((name) => html`<a href="errors#${name}"><code>${name}</code></a>`))}</p>
</section>
`;
}

function resolved(document: Document, response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  const found = document.components.responses[nameOf(response)];
  if (!found) throw new Error(`the OpenAPI document has no ${response.$ref}`);
  return found;
}

/** The codes that an error answer can carry. */
function codesOf(content: Content | undefined): string[] {
  return Object.keys(content?.["application/json"]?.examples ?? {});
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    (
      parameter,
    ) => html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}${parameter.required && ", required"}</td><td>${typeOf(parameter.schema)}</td><td>${noteOf(parameter.schema, parameter.description)}</td></tr>
`,
  );
  return table(["Parameter", "In", "Type", ""], rows);
}

function fieldTable(schema: Schema): Html {
  return table(["Field", "Type", ""], fieldRows(schema));
}

/** A row for each field; those of an object without a name of its own by their path. */
function fieldRows({ properties = {}, required = [] }: Schema, path = ""): Html[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema.properties
      ? fieldRows(schema, `${path}${name}.`)
      : html`<tr><td><code>${path}${name}</code>${!required.includes(name) && " (optional)"}</td><td>${typeOf(schema)}</td><td>${noteOf(schema)}</td></tr>
`,
  );
}

function headerTable(headers: Readonly<Record<string, Header>>): Html {
  const rows = Object.entries(headers).map(
    ([
      name,
      header,
    ]) => html`<tr><td><code>${name}</code></td><td>${inlineMarkdown(header.description)}</td><td>${header.example !== undefined && html`<code>${String(header.example)}</code>`}</td></tr>
`,
  );
  return table(["Header", "", "Example"], rows);
}

function table(titles: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide" tabindex="0"><table>
<thead><tr>${titles.map((title) => html`<th>${title}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>
`;
}

/** What a success holds beside its `{ data }`. */
function envelopeOf(document: Document, schema: Schema): Html {
  const envelope = schema.$ref && document.components.schemas[nameOf({ $ref: schema.$ref })];
  const { data, nextCursor } = (envelope || schema).properties ?? {};
  if (!data) return typeOf(schema);
  return nextCursor
    ? html`<code>data</code>: ${typeOf(data)}; <code>nextCursor</code>: ${typeOf(nextCursor)}. ${noteOf(nextCursor)}`
    : html`<code>data</code>: ${typeOf(data)}`;
}

/** The kind of a value in a few words; named objects are links. */
function typeOf(schema: Schema): Html {
  if (schema.$ref) {
    const name = nameOf({ $ref: schema.$ref });
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.enum) return joined(schema.enum.map((value) => html`<code>${String(value)}</code>`));
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return joined(
    types.map((type) => kindOf(type, schema)),
    " or ",
  );
}

function kindOf(type: string, schema: Schema): Html {
  if (type === "array" && schema.items) return html`array of ${typeOf(schema.items)}`;
  if (type !== "object" || !schema.properties) return html`${schema.format ?? type}`;
  const fields = Object.entries(schema.properties).map(
    ([name, field]) => html`<code>${name}</code>: ${typeOf(field)}`,
  );
  return html`object of ${joined(fields)}`;
}

/** Description, bounds and default of a value. */
function noteOf(schema: Schema, description = schema.description): Html {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const plain = schema.anyOf?.find(({ type }) => type !== "null");
  const notes = [
    description && inlineMarkdown(description),
    !description && plain?.description && inlineMarkdown(plain.description),
    minimum !== undefined && maximum !== undefined && html`${minimum} to ${maximum}.`,
    minLength !== undefined &&
      maxLength !== undefined &&
      html`${minLength} to ${maxLength} characters.`,
    pattern && html`<code>${pattern}</code>`,
    schema.default !== undefined && html`Default ${String(schema.default)}.`,
  ].filter((note) => note instanceof Html);
  return joined(notes, " ");
}

function code(example: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>
`;
}

function joined(parts: readonly Html[], between = ", "): Html {
  return new Html(parts.map(({ text }) => text).join(between));
}

function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
