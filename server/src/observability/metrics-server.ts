import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "../config.js";

/** The metrics on a port of their own. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` only. Rejects with ConfigError if it cannot listen. */
export function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  listener: RequestListener,
): Promise<MetricsServer> {
  const server = createServer((req, res) => {
    const isScrape = req.method === "GET" || req.method === "HEAD";
    if (isScrape && req.url?.split("?", 1)[0] === "/metrics") listener(req, res);
    else res.writeHead(404, { "Content-Length": 0 }).end();
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message = `METRICS_PORT or METRICS_HOST cannot be used: ${error.code ?? "unknown error"}`;
      reject(new ConfigError(message, { cause: error }));
    });
    server.listen(port, host, () => {
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}
