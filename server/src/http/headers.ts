import type { IncomingMessage, ServerResponse } from "node:http";
import { apiVersion } from "@queue-api/contract";
import helmet from "helmet";

/** helmet's headers for a service that sends JSON and is never shown in a browser. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: "deny" },
  strictTransportSecurity: { includeSubDomains: false }, // what else lives below this host is not ours
  // These speak to pages and downloads of a browser; a JSON API has neither.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPermittedCrossDomainPolicies: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xXssProtection: false,
});

/** Headers that are the same on every answer, as a flat list of names and values. */
export const constantHeaders: readonly string[] = [
  ...securityHeaders(),
  "API-Version",
  apiVersion.major,
  "Cache-Control",
  "no-store",
];

/** What helmet sets never depends on the request, so it is asked once and not on each. */
function securityHeaders(): string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  secure({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
