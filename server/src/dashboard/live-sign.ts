import { html } from "../lib/html.js";

/** Whether a page shows how things stand now. A script of the page fills it in. */
export const liveSign = html`<p class="live" id="live" role="status" hidden></p>
`;
