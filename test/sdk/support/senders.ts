import { fetch } from "undici";
import type { QueueApiOptions } from "../../../sdk/src/options.js";

/** What a client can send its requests with, and the option that asks for it. */
export const senders: readonly { readonly sender: string; readonly options: QueueApiOptions }[] = [
  { sender: "the global fetch", options: {} },
  {
    sender: "a fetch that is handed in",
    options: { fetch: fetch as unknown as typeof globalThis.fetch }, // a copy of its own, with its own Response
  },
];
