import { type Html, html } from "../lib/html.js";
import type { Operation, Parameter } from "./api-document.js";
import type { SitePage } from "./layout.js";
import { inlineMarkdown } from "./markdown.js";

/** The page that sends requests to a sandbox: a form for each operation. Its script shows one of them at a time. */
export function tryPage(operations: readonly Operation[], script: string): SitePage {
  const inPaths = operations.flatMap(({ parameters }) => parameters.filter(isId));
  const ids = new Set(inPaths.map(({ name }) => name));
  const body = html`<p>Send requests to the sandbox of this service, with a key of a sandbox business: the one that <code>npm start</code> printed, for example.</p>
<p>The key stays in the memory of this page until you leave it. It is never stored and never part of an address. The service refuses the keys of real businesses here: those belong on servers alone.</p>
<noscript><p>This page needs scripts. The samples of each endpoint do the same in a terminal.</p></noscript>
<div id="try" hidden>
<section>
<form name="key" class="field"><label for="key">API key of a sandbox business</label>
<div class="actions"><input type="password" id="key" placeholder="svc_live_…" autocomplete="off" spellcheck="false"><button class="primary">Use key</button></div>
<p class="error" role="status"></p></form>
<p class="actions" id="known-key" hidden><span></span> <button type="button">Forget key</button></p>
<div class="field"><label for="operation">Endpoint</label><select id="operation">
${operations.map(({ id, method, path }) => html`<option value="${id}">${method} ${path}</option>`)}</select></div>
${operations.map(operationForm)}
${[...ids].map((name) => html`<datalist id="known-${name}"></datalist>`)}
</section>
<section id="response" aria-live="polite"></section>
</div>
`;
  return { slug: "try", title: "Try it", scripts: [script], body };
}

const isId = ({ in: place }: Parameter) => place === "path";

function operationForm({ id, method, path, parameters, body }: Operation): Html {
  // Without the optional fields, because the ids in examples do not exist.
  const required = Object.entries(Object(body?.example)).filter(([name]) =>
    body?.schema?.required?.includes(name),
  );
  const example = JSON.stringify(Object.fromEntries(required), null, 2);
  return html`<form name="${id}" data-method="${method}" data-path="${path.replace(/^\/v1/, "")}" hidden>
${parameters.map((parameter) => parameterField(id, parameter))}
${
  body &&
  html`<div class="field"><label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="6" spellcheck="false">${example}</textarea></div>`
}
<p class="actions"><button class="primary" value="send">Send</button><button value="curl">Copy as curl</button></p>
</form>
`;
}

/** The field of a parameter. Its last line names what is missing; the style sheet shows it. */
function parameterField(operation: string, parameter: Parameter): Html {
  const { name, in: place, required = false, schema, description = "" } = parameter;
  const id = `${operation}-${name}`;
  const shared = html`id="${id}" name="${name}" data-in="${place}" aria-describedby="${id}-about"`;
  const values = schema.enum?.map((value) => html`<option>${String(value)}</option>`);
  const isKey = place === "header";
  const input = values
    ? html`<select ${shared}><option></option>${values}</select>`
    : html`<input ${shared} autocomplete="off" spellcheck="false"${isId(parameter) && html` list="known-${name}"`}${required && html` required`}>`;
  return html`<div class="field"><label for="${id}">${name}${!required && !isKey && " (optional)"}</label>
${isKey ? html`<div class="actions">${input}<button type="button" class="renew">New</button></div>` : input}
<div id="${id}-about"><p class="hint">${isKey ? "Send twice with the same key and body: the second response is a replay." : inlineMarkdown(description)}</p>${required && html`<p class="error">Enter the ${name} first. The lists show ids.</p>`}</div></div>
`;
}
