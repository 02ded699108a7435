import type { QueueApiOptions } from "../../../sdk/src/options.js";

/** What a client can send its requests with, and the option that asks for it. */
export const senders: readonly { readonly sender: string; readonly options: QueueApiOptions }[] = [
  { sender: "Node's HTTP client", options: {} },
  { sender: "a fetch that is handed in", options: { fetch: globalThis.fetch } },
];
