import { type ErrorCode, errors, routes } from "@queue-api/contract";
import { type Html, html } from "../lib/html.js";
import { item, joined, list } from "./fields.js";
import { inlineMarkdown } from "./markdown.js";

/** The facts that the contract states about an error code, for its section of the page. */
export function errorFacts(code: string): Html | null {
  if (!Object.hasOwn(errors, code)) return null;
  const { status, message, when } = errors[code as ErrorCode];
  return html`<dl class="facts">
<dt>Status</dt><dd>${status}</dd>
<dt>When</dt><dd>${inlineMarkdown(when)}</dd>
<dt>Message</dt><dd>${message}</dd>
<dt>From</dt><dd>${returnedBy(code as ErrorCode)}</dd>
</dl>
`;
}

const allRoutes = Object.values(routes).flatMap((noun) =>
  Object.values(noun).map(({ method, path, metadata }) => ({
    method,
    path,
    id: metadata.operationId,
    codes: metadata.errors as readonly ErrorCode[],
  })),
);

/** The routes that can return a code. */
function returnedBy(code: ErrorCode): Html {
  const found = allRoutes.filter(({ codes }) => codes.includes(code));
  if (found.length === allRoutes.length) return html`every endpoint`;
  if (found.length === 0) return html`any request`;
  if (found.length > 4) return html`${found.length} of the ${allRoutes.length} endpoints`;
  const names = found.map(
    ({ method, path, id }) =>
      html`<a href="reference/${id}"><code>${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}</code></a>`,
  );
  return joined(names, ", ");
}

/** The codes that an operation can return, by status. */
export function codesOfOperation(operationId: string): readonly ErrorCode[] {
  const { codes = [] } = allRoutes.find(({ id }) => id === operationId) ?? {};
  return codes.toSorted((one, other) => errors[one].status - errors[other].status);
}

/** A list of codes, each linked to its explanation. */
export function errorList(codes: readonly ErrorCode[]): Html {
  const items = codes.map((code) => {
    const { status, when } = errors[code];
    const name = html`<a href="errors#${code}"><code>${code}</code></a>`;
    return item(name, html`<span>${status}</span>`, inlineMarkdown(when));
  });
  return list(items);
}
