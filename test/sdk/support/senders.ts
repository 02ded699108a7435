import { fetch } from "undici";
import type { QueueApiOptions } from "../../../sdk/src/options.js";

/** The implementations that can send requests, with the client option that selects each. */
export const senders: readonly { readonly sender: string; readonly options: QueueApiOptions }[] = [
  { sender: "the global fetch", options: {} },
  {
    sender: "a fetch that is handed in",
    options: { fetch }, // another copy of undici, with its own Response
  },
];
