import { type ErrorCode, errors, routes } from "@queue-api/contract";
import { Html, html } from "../html.js";
import { inlineMarkdown } from "./markdown.js";

/** What the contract says of an error code, for the section of the page that explains it. */
export function errorFacts(code: string): Html | null {
  if (!Object.hasOwn(errors, code)) return null;
  const { status, message, when } = errors[code as ErrorCode];
  return html`<dl class="facts">
<dt>Status</dt><dd>${status}</dd>
<dt>When</dt><dd>${inlineMarkdown(when)}</dd>
<dt>Message</dt><dd>${message}</dd>
<dt>From</dt><dd>${answeredBy(code as ErrorCode)}</dd>
</dl>
`;
}

/** The routes that can answer with a code. */
function answeredBy(code: ErrorCode): Html {
  const all = Object.values(routes).flatMap((noun) => Object.values(noun));
  const found = all.filter(({ metadata }) => (metadata.errors as readonly string[]).includes(code));
  if (found.length === all.length) return html`every endpoint`;
  if (found.length > 4) return html`${found.length} of the ${all.length} endpoints`;
  const names = found.map(
    ({ method, path, metadata }, at) =>
      html`${at > 0 && ", "}<a href="reference#${metadata.operationId}"><code>${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}</code></a>`,
  );
  return new Html(names.map(({ text }) => text).join(""));
}

/** Every code on one look. */
export function errorTable(): Html {
  const rows = Object.entries(errors).map(
    ([
      code,
      { status, when },
    ]) => html`<tr><td>${status}</td><td><a href="#${code}"><code>${code}</code></a></td><td>${inlineMarkdown(when)}</td></tr>
`,
  );
  return html`<table>
<thead><tr><th>Status</th><th>Code</th><th>When</th></tr></thead>
<tbody>
${rows}</tbody></table>
`;
}
