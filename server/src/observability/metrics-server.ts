import { createServer, type RequestListener, type Server } from "node:http";
import { ConfigError } from "../config.js";
import { type ListenAddress, listen } from "../lib/http-server.js";

/** Serves `GET /metrics` only. Rejects with ConfigError if it cannot listen. */
export async function startMetricsServer(
  address: ListenAddress,
  listener: RequestListener,
): Promise<Server> {
  const server = createServer((req, res) => {
    const isScrape = req.method === "GET" || req.method === "HEAD";
    if (isScrape && req.url?.split("?", 1)[0] === "/metrics") listener(req, res);
    else res.writeHead(404, { "Content-Length": 0 }).end();
  });
  await listen(server, address).catch((error: NodeJS.ErrnoException) => {
    const message = `METRICS_PORT or METRICS_HOST cannot be used: ${error.code ?? "unknown error"}`;
    throw new ConfigError(message, { cause: error });
  });
  return server;
}
