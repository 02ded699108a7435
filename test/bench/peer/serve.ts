import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Express } from "express";

/** Serves a peer's app on a free port, and returns its origin. */
export async function serve(app: Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  server.keepAliveTimeout = 65_000; // as ours, so that connections outlast the other side's turn
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
