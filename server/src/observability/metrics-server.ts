import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "../config.js";
import { type ListenAddress, listen } from "../lib/http-server.js";

/** The metrics on a port of their own. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` only. Rejects with ConfigError if it cannot listen. */
export async function startMetricsServer(
  address: ListenAddress,
  listener: RequestListener,
): Promise<MetricsServer> {
  const server = createServer((req, res) => {
    const isScrape = req.method === "GET" || req.method === "HEAD";
    if (isScrape && req.url?.split("?", 1)[0] === "/metrics") listener(req, res);
    else res.writeHead(404, { "Content-Length": 0 }).end();
  });
  await listen(server, address).catch((error: NodeJS.ErrnoException) => {
    const message = `METRICS_PORT or METRICS_HOST cannot be used: ${error.code ?? "unknown error"}`;
    throw new ConfigError(message, { cause: error });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
