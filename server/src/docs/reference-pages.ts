import { commonHeaders } from "@queue-api/contract";
import { Html, html } from "../lib/html.js";
import {
  type ApiDocument,
  exampleOf,
  fieldsOf,
  type Header,
  nameOf,
  type Operation,
  operationsOf,
  resolved,
  type Schema,
} from "./api-document.js";
import { codesOfOperation, errorList } from "./errors-page.js";
import { fieldList, noteOf, parameterList, typeOf } from "./fields.js";
import { codeBlock, jsonBlock } from "./highlight.js";
import { type NavGroup, type SitePage, sandboxOnly } from "./layout.js";
import { anchored, inlineMarkdown, paragraphs, wordsOf } from "./markdown.js";
import { methodOf, samplesOf } from "./samples.js";
import type { SearchRecord } from "./search.js";

const schemaLink = (name: string) => `schemas#${name}`;

/** The pages generated from the OpenAPI document, and their records for the search. */
export interface ReferencePages {
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
  readonly pages: readonly SitePage[];
  readonly nav: readonly NavGroup[];
  readonly records: readonly SearchRecord[];
}

/** An overview, one page for each operation, and one page for all schemas. */
export function referencePages(openApi: object, baseUrl: string): ReferencePages {
  const document = openApi as ApiDocument;
  const operations = operationsOf(document);
  const schemas = Object.entries(document.components.schemas).filter(
    // The response envelopes are shown with the operations instead.
    ([, schema]) => !fieldsOf(document, schema).some(({ name }) => name === "data"),
  );
  return {
    document,
    operations,
    pages: [
      overview(document, operations, schemas, baseUrl),
      ...operations.map((operation) => operationPage(document, operation, baseUrl)),
      schemasPage(document, schemas),
    ],
    nav: [
      {
        title: "API reference",
        links: [
          { to: "reference", label: "Overview" },
          { to: "schemas", label: "Schemas" },
          { to: "errors", label: "Errors" },
          { to: "try", label: "Try it", sandbox: true },
        ],
      },
      ...document.tags.map(({ name }) => ({
        title: name,
        links: operations
          .filter(({ tag }) => tag === name)
          .map(({ id, summary, method }) => ({ to: `reference/${id}`, label: summary, method })),
      })),
    ],
    records: [
      ...operations.flatMap((operation) => recordsOf(document, operation)),
      ...schemas.flatMap(([name, schema]) => recordsOfSchema(document, name, schema)),
    ],
  };
}

function overview(
  document: ApiDocument,
  operations: readonly Operation[],
  schemas: readonly [string, Schema][],
  baseUrl: string,
): SitePage {
  const { securitySchemes } = document.components;
  const body = html`${paragraphs(document.info.description)}
${anchored(2, "base-url", html`Base URL`)}
${codeBlock(baseUrl)}
${anchored(2, "authentication", html`Authentication`)}
${codeBlock("Authorization: Bearer $QUEUE_API_KEY", "http")}
${Object.values(securitySchemes).map(({ description }) => paragraphs(description ?? ""))}
${anchored(2, "endpoints", html`Endpoints`)}
${document.tags.map(({ name, description }) => {
  const rows = operations
    .filter(({ tag }) => tag === name)
    .map(
      ({ id, method, path, summary }) =>
        html`<li><a href="reference/${id}">${summary}</a> <span class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></span></li>
`,
    );
  return html`${anchored(3, name.toLowerCase(), html`${name}`)}
<p>${inlineMarkdown(description)}</p>
<ul class="endpoints">
${rows}</ul>
`;
})}
${anchored(2, "headers", html`Headers of every answer`)}
${headerList(commonHeaders)}
${anchored(2, "objects", html`Objects`)}
<ul class="names">
${schemas.map(
  ([name]) => html`<li><a href="${schemaLink(name)}">${name}</a></li>
`,
)}</ul>
<p>Version ${document.info.version}. Made from <a href="../v1/openapi.json">the OpenAPI document</a>, which generators of clients read.</p>
`;
  return {
    slug: "reference",
    title: "API reference",
    body,
    contents: [
      { id: "base-url", title: "Base URL" },
      { id: "authentication", title: "Authentication" },
      { id: "endpoints", title: "Endpoints" },
      { id: "headers", title: "Headers" },
      { id: "objects", title: "Objects" },
    ],
  };
}

function operationPage(document: ApiDocument, operation: Operation, baseUrl: string): SitePage {
  const { id, method, path, tag, summary, description, parameters, body, success } = operation;
  const places = [
    ["path", "Path parameters"],
    ["query", "Query parameters"],
    ["header", "Headers"],
  ] as const;
  const sent = places.map(([place, title]) => {
    const some = parameters.filter((one) => one.in === place);
    return (
      some.length > 0 &&
      html`${anchored(2, `${place}-parameters`, html`${title}`)}
${parameterList(document, some, schemaLink)}`
    );
  });
  const headers = Object.entries(success.headers).filter(([name]) => !(name in commonHeaders));
  const example = success.media && exampleOf(document, success.media);
  const content = html`<div class="operation">
<div class="intro">
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${paragraphs(description)}</div>
<aside class="samples-column" aria-label="Samples">
${samples(document, operation, baseUrl)}
${sandboxOnly(html`<p><a class="button" href="try#${id}">Try it</a></p>`)}
${
  example !== undefined &&
  example !== null &&
  html`<h2 class="sample-title">Answer ${success.status}</h2>
${jsonBlock(example)}`
}
</aside>
<div class="details">
${sent.filter((part) => part instanceof Html)}
${
  body &&
  html`${anchored(2, "body", html`Body`)}
<p>${typeOf(body.media.schema, schemaLink)}. ${inlineMarkdown(body.description)}</p>
${fieldList(document, body.media.schema, schemaLink, { anchorPrefix: "body" })}`
}
${anchored(2, "answer", html`Answer ${success.status}`)}
<p>${inlineMarkdown(success.description)}</p>
${success.media && answerFields(document, success.media.schema)}
${headers.length > 0 && html`<h3>Headers</h3>${headerList(Object.fromEntries(headers))}`}
${anchored(2, "errors", html`Errors`)}
${errorList(codesOfOperation(id))}
</div>
</div>
`;
  return { slug: `reference/${id}`, title: summary, kicker: tag, body: content };
}

/** The fields of a response. The fields of a named object can be unfolded. */
function answerFields(document: ApiDocument, schema: Schema): Html {
  const named = fieldsOf(document, schema).flatMap(({ schema: field }) => {
    const ref = field.$ref ?? field.items?.$ref;
    return ref === undefined ? [] : [{ $ref: ref }];
  });
  return html`${fieldList(document, schema, schemaLink)}
${named.map(
  ({ $ref }) => html`<details class="unfold"><summary>Fields of ${nameOf({ $ref })}</summary>
${fieldList(document, { $ref }, schemaLink)}</details>
`,
)}`;
}

function samples(document: ApiDocument, operation: Operation, baseUrl: string): Html {
  const all = samplesOf(document, operation, baseUrl);
  const choices = all.map(
    ({ language, label }, at) =>
      html`<label><input type="radio" name="language" value="${language}"${at === 0 && html` checked`}><span>${label}</span></label>
`,
  );
  const codes = all.map(
    ({ language, label, colours, code }) =>
      html`<div class="sample ${language}"><h2 class="sample-title">${label}</h2>${codeBlock(code, colours)}</div>
`,
  );
  return html`<fieldset class="samples"><legend>Language</legend>
<div class="tabs">
${choices}</div>
${codes}</fieldset>
`;
}

function schemasPage(document: ApiDocument, schemas: readonly [string, Schema][]): SitePage {
  const body = html`<p>What requests and answers hold. Fields may be added at any time: ignore those that you do not know.</p>
${schemas.map(([name, schema]) => {
  const { description } = resolved(document, schema);
  return html`${anchored(2, name, html`${name}`)}
${description && html`<p>${inlineMarkdown(description)}</p>`}
${
  fieldsOf(document, schema).length > 0
    ? fieldList(document, schema, (other) => `#${other}`, { anchorPrefix: name })
    : html`<p>${noteOf(document, schema, "")}</p>`
}`;
})}`;
  const contents = schemas.map(([name]) => ({ id: name, title: name }));
  return { slug: "schemas", title: "Schemas", body, contents };
}

function headerList(headers: Readonly<Record<string, Header>>): Html {
  const items = Object.entries(headers).map(
    ([name, { description = "", example }]) =>
      html`<li><div class="field"><code>${name}</code></div><div class="note">${inlineMarkdown(description)}${example !== undefined && html` For example <code>${String(example)}</code>.`}</div></li>
`,
  );
  return html`<ul class="fields">
${items}</ul>
`;
}

function recordsOf(document: ApiDocument, operation: Operation): SearchRecord[] {
  const { id, method, path, summary, description, parameters, body } = operation;
  const place = `reference/${id}`;
  const fields = body ? fieldsOf(document, body.media.schema) : [];
  return [
    {
      title: summary,
      kind: "Endpoint",
      names: `${id} ${method} ${path} ${methodOf(id) ?? ""}`,
      detail: `${method} ${path}`,
      text: wordsOf(paragraphs(description).text),
      to: place,
    },
    ...parameters.map((parameter) => ({
      title: parameter.name,
      kind: "Parameter",
      names: parameter.name,
      detail: `${method} ${path}`,
      text: wordsOf(noteOf(document, parameter.schema, parameter.description).text),
      to: `${place}#${parameter.name}`,
    })),
    ...fields.map(({ name, schema }) => ({
      title: name,
      kind: "Body field",
      names: name,
      detail: `${method} ${path}`,
      text: wordsOf(noteOf(document, schema).text),
      to: `${place}#body.${name}`,
    })),
  ];
}

function recordsOfSchema(document: ApiDocument, name: string, schema: Schema): SearchRecord[] {
  const own: SearchRecord = {
    title: name,
    kind: "Schema",
    names: name,
    detail: "",
    text: resolved(document, schema).description ?? "",
    to: `schemas#${name}`,
  };
  const fields = (within: Schema, path: string): SearchRecord[] =>
    fieldsOf(document, within).flatMap(({ name: field, schema: inner }) => [
      {
        title: `${name}.${path}${field}`,
        kind: "Field",
        names: `${field} ${name}`,
        detail: name,
        text: wordsOf(noteOf(document, inner).text),
        to: `schemas#${name}.${path}${field}`,
      },
      ...(inner.$ref ? [] : fields(inner, `${path}${field}.`)),
    ]);
  return [own, ...fields(schema, "")];
}
