import { commonHeaders } from "@queue-api/contract";
import { type Html, html } from "../lib/html.js";
import {
  type ApiDocument,
  fieldsOf,
  type Header,
  type Operation,
  type Schema,
} from "./api-document.js";
import { codesOfOperation, errorList } from "./errors-page.js";
import { fieldList, item, list, noteOf, parameterList, typeOf } from "./fields.js";
import { codeBlock } from "./highlight.js";
import { type NavGroup, type SitePage, sandboxOnly } from "./layout.js";
import { anchored, inlineMarkdown, paragraphs } from "./markdown.js";
import { samplesOf, sdkMethods } from "./samples.js";

/** The pages generated from the OpenAPI document: an overview, one for each operation, and one for all schemas. */
export function referencePages(document: ApiDocument, baseUrl: string): SitePage[] {
  return [
    overview(document, baseUrl),
    ...document.operations.map((operation) => operationPage(operation, baseUrl)),
    schemasPage(document),
  ];
}

/** The groups of the navigation with these pages. */
export function referenceNav({ tags, operations }: ApiDocument): NavGroup[] {
  return [
    {
      title: "API reference",
      links: [
        { to: "reference", label: "Overview" },
        { to: "schemas", label: "Schemas" },
        { to: "errors", label: "Errors" },
        { to: "try", label: "Try it", sandbox: true },
      ],
    },
    ...tags.map(({ name }) => ({
      title: name,
      links: operations
        .filter(({ tag }) => tag === name)
        .map(({ id, summary, method }) => ({ to: `reference/${id}`, label: summary, method })),
    })),
  ];
}

/** The schemas with their names. The envelopes of responses are shown with the operations instead. */
function namedSchemas({ schemas }: ApiDocument): [string, Schema][] {
  return Object.entries(schemas).filter(([, { properties = {} }]) => !("data" in properties));
}

function methodSign(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function overview(document: ApiDocument, baseUrl: string): SitePage {
  const { info, tags, operations, authentication } = document;
  const endpoints = tags.map(({ name, description }) => {
    const rows = operations
      .filter(({ tag }) => tag === name)
      .map(({ id, method, path, summary }) => {
        const route = html`<span>${methodSign(method)} <code>${path}</code></span>`;
        return item(html`<a href="reference/${id}">${summary}</a>`, route, html``);
      });
    return html`${anchored(3, name.toLowerCase(), html`${name}`)}
<p>${inlineMarkdown(description)}</p>
${list(rows)}`;
  });
  const objects = namedSchemas(document).map(
    ([name]) => html`<a href="schemas#${name}">${name}</a>
`,
  );
  const howToAuthenticate = html`${codeBlock("Authorization: Bearer $QUEUE_API_KEY", "http")}
${authentication.map(paragraphs)}`;
  const sections: readonly [string, string, Html][] = [
    ["base-url", "Base URL", codeBlock(baseUrl)],
    ["authentication", "Authentication", howToAuthenticate],
    ["endpoints", "Endpoints", html`${endpoints}`],
    ["headers", "Headers of every response", headerList(commonHeaders)],
    ["objects", "Objects", html`<p class="actions">${objects}</p>`],
  ];
  const body = html`${paragraphs(info.description)}
${sections.map(([id, title, content]) => html`${anchored(2, id, html`${title}`)}${content}`)}
<p>Version ${info.version}. Made from <a href="../v1/openapi.json">the OpenAPI document</a>, which generators of clients read.</p>
`;
  const contents = sections.map(([id, title]) => ({ id, title }));
  return { slug: "reference", title: "API reference", body, contents };
}

function operationPage(operation: Operation, baseUrl: string): SitePage {
  const { id, method, path, tag, summary, description, parameters, body, success } = operation;
  const places = { path: "Path parameters", query: "Query parameters", header: "Headers" };
  const sent = Object.entries(places).map(([place, title]) => {
    const some = parameters.filter((one) => one.in === place);
    if (some.length === 0) return html``;
    return html`${anchored(2, `${place}-parameters`, html`${title}`)}${parameterList(some)}`;
  });
  const headers = Object.entries(success.headers).filter(([name]) => !(name in commonHeaders));
  const content = html`<div class="operation">
<div class="intro">
<p class="route">${methodSign(method)} <code>${path}</code></p>
${paragraphs(description)}</div>
<aside class="samples-column" aria-label="Samples">
${samples(operation, baseUrl)}
${sandboxOnly(html`<p><a class="button primary" href="try#${id}">Try it</a></p>`)}
${
  success.example != null &&
  html`<h2 class="small-title">Response ${success.status}</h2>
${codeBlock(JSON.stringify(success.example, null, 2), "json")}`
}
</aside>
<div class="details">
${sent}
${
  body?.schema &&
  html`${anchored(2, "body", html`Body`)}
<p>${typeOf(body.schema)}. ${inlineMarkdown(body.description)}</p>
${fieldList(body.schema, "body")}`
}
${anchored(2, "response", html`Response ${success.status}`)}
<p>${inlineMarkdown(success.description)}</p>
${success.schema && responseFields(success.schema)}
${headers.length > 0 && html`<h3>Headers</h3>${headerList(Object.fromEntries(headers))}`}
${anchored(2, "errors", html`Errors`)}
${errorList(codesOfOperation(id))}
</div>
</div>
`;
  return {
    slug: `reference/${id}`,
    title: summary,
    kicker: tag,
    body: content,
    kind: "Endpoint",
    names: `${id} ${sdkMethods.get(id) ?? ""}`,
    detail: `${method} ${path}`,
  };
}

/** The fields of a response. The fields of a named object can be unfolded. */
function responseFields(schema: Schema): Html {
  const objects = fieldsOf(schema).map(({ schema: field }) => field.items ?? field);
  return html`${fieldList(schema)}
${objects
  .filter(({ named }) => named)
  .map(
    (one) => html`<details class="card"><summary>Fields of ${one.named}</summary>
${fieldList(one)}</details>
`,
  )}`;
}

function samples(operation: Operation, baseUrl: string): Html {
  const all = samplesOf(operation, baseUrl);
  const choices = all.map(
    ({ language, label }, at) =>
      html`<input class="visually-hidden" type="radio" id="${language}" name="language" value="${language}"${at === 0 && html` checked`}><label for="${language}">${label}</label>
`,
  );
  const codes = all.map(
    ({ language, code }) =>
      html`<div class="sample ${language}">${codeBlock(code, language)}</div>
`,
  );
  return html`<fieldset class="samples"><legend class="visually-hidden">Language</legend>
${choices}${codes}</fieldset>
`;
}

function schemasPage(document: ApiDocument): SitePage {
  const schemas = namedSchemas(document);
  const body = html`<p>What requests and responses hold. Fields may be added at any time: ignore those that you do not know.</p>
${schemas.map(
  ([name, schema]) => html`${anchored(2, name, html`${name}`)}
${schema.description && html`<p>${inlineMarkdown(schema.description)}</p>`}
${schema.properties ? fieldList(schema, name) : html`<p>${noteOf(schema, "")}</p>`}`,
)}`;
  const contents = schemas.map(([name]) => ({ id: name, title: name }));
  return { slug: "schemas", title: "Schemas", kind: "Schema", body, contents };
}

function headerList(headers: Readonly<Record<string, Header>>): Html {
  const items = Object.entries(headers).map(([name, { description = "", example }]) => {
    const note = html`${inlineMarkdown(description)}${example !== undefined && html` For example <code>${String(example)}</code>.`}`;
    return item(html`<code>${name}</code>`, html``, note);
  });
  return list(items);
}
