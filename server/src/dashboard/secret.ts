import { type Html, html } from "../lib/html.js";

/**
 * A new key, on the only page that shows it. The script offers to copy it, and removes it from the page
 * when the user leaves, so that going back does not show it either.
 */
export function secretView(key: string, baseUrl: string): Html {
  const curl = `curl -H "Authorization: Bearer ${key}" ${baseUrl}/v1/me`;
  return html`<section class="card" aria-labelledby="secret-title">
<h2 id="secret-title">The key, shown this once</h2>
<p class="flash kindly">Copy it now to the machine that needs it. The service does not store it and cannot show it again. Anyone who has the key can use it, so do not put it into mail, a browser or an app.</p>
${copyable("the-key", "The key", key)}${copyable("the-curl", "A first request with it", curl)}</section>
`;
}

/** Replaces the key on a page that is loaded again. */
export const secretShownBefore: Html = html`<p>This key was made already. It was shown then, and cannot be shown again.</p>
<p>If you did not copy it, revoke it and make another one.</p>
`;

/** A text that is shown this once, with a button that copies it. */
export function copyable(id: string, label: string, text: string): Html {
  return html`<div class="field">
<p class="label" id="${id}-label">${label}</p>
<pre class="secret" id="${id}" tabindex="0" aria-labelledby="${id}-label">${text}</pre>
<div class="actions"><button type="button" data-copies="${id}" hidden>Copy</button><span role="status" data-copied="${id}"></span></div>
</div>
`;
}
