import { html } from "../lib/html.js";

/** Shows whether the page is up to date. A script of the page fills it in. */
export const liveSign = html`<p class="live" id="live" role="status" hidden></p>
`;
