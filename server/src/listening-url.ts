import type { Config } from "./config.js";

/** Where a service with these settings is reached on its own machine, without a slash at the end. */
export function listeningUrl({ host }: Pick<Config, "host">, port: number): string {
  return `http://${hostForUrl(host)}:${port}`;
}

function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
