import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Watches requests at work and changes nothing: it is handed each one as it comes, and lets it go on by
 * calling `proceed`, once and at once.
 */
export type RequestObserver = (
  req: IncomingMessage,
  res: ServerResponse,
  proceed: () => void,
) => void;
