import { html } from "../lib/html.js";
import { type ApiDocument, exampleOf, type Operation, resolved } from "./api-document.js";
import type { SitePage } from "./layout.js";

/** The example of a body without its optional fields, because the ids in examples do not exist. */
function requiredFields(
  document: ApiDocument,
  media: NonNullable<Operation["body"]>["media"],
): Record<string, unknown> {
  const { required = [] } = resolved(document, media.schema);
  const example = exampleOf(document, media) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)));
}

/** The page that sends requests to a sandbox. Its script creates everything except the introduction. */
export function tryPage(
  document: ApiDocument,
  operations: readonly Operation[],
  script: string,
): SitePage {
  const described = operations.map(({ id, method, path, summary, parameters, body }) => ({
    id,
    method,
    path,
    summary,
    parameters: parameters
      .filter(({ in: place }) => place !== "header")
      .map(({ name, in: place, required = false, schema, description = "" }) => ({
        name,
        place,
        required,
        description,
        choices: resolved(document, schema).enum ?? [],
      })),
    hasIdempotencyKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    body: body && requiredFields(document, body.media),
  }));
  return {
    slug: "try",
    title: "Try it",
    scripts: [script],
    body: html`<p>Send requests to the sandbox of this service, with a key of a sandbox business: the one that <code>npm start</code> printed, for example.</p>
<p>The key stays in the memory of this page until you leave it. It is never stored and never part of an address. The service refuses the keys of real businesses here: those belong on servers alone.</p>
<noscript><p>This page needs scripts. The samples of each endpoint do the same in a terminal.</p></noscript>
<div id="try" data-operations="${JSON.stringify(described)}"></div>
`,
  };
}
