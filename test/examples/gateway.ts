import { createServer, type OutgoingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../support/listen.js";

/** How a gateway answers one request in place of the service. */
export interface Fault {
  /** Whether the service processes the request first, so that its response is lost. */
  readonly isProcessed?: boolean;
  /** Default: no response; the connection is cut. */
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/**
 * Starts a gateway in front of a service, until the test ends. Each fault answers one of the requests whose path has
 * this ending; the gateway passes on all others.
 */
export async function startGateway(service: string, ending: string, faults: readonly Fault[]) {
  let arrived = 0;
  const gateway = createServer(async (sent, response) => {
    const body = await buffer(sent);
    const fault = sent.url?.endsWith(ending) ? faults[arrived++] : undefined;
    if (fault && !fault.isProcessed) return fail(fault);
    const { method, headers } = sent;
    request(service + sent.url, { method, headers }, (answer) => {
      if (fault) return answer.resume().on("end", () => fail(fault));
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end(body);

    function fail({ status, headers, body }: Fault) {
      if (status === undefined) return response.destroy();
      response.writeHead(status, headers);
      // A body that is shorter than its declared length is a truncated one.
      response.write(body ?? "", () => (headers?.["Content-Length"] ? response.destroy() : null));
      if (!headers?.["Content-Length"]) response.end();
    }
  });
  onTestFinished(() => {
    gateway.close();
    gateway.closeAllConnections();
  });
  return {
    url: await listen(gateway),
    /** How many requests with this ending have arrived. */
    arrived: () => arrived,
  };
}
