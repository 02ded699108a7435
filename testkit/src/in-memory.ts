import http from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { ApiError } from "../../server/src/in-process.js";

/**
 * Node's own class. While msw is active, it replaces `http.ClientRequest`, and must not intercept a request
 * to the mocked service a second time.
 */
const NodeClientRequest = http.ClientRequest.prototype.constructor as typeof http.ClientRequest;

/** Returns the service's refusal of a request that it would accept, if a test planned one. */
type Refusal = () => ApiError | null;

/** The server's end of a connection. */
export interface Connection extends Duplex {
  refusal?: Refusal;
}

/**
 * Sends a request to a server that listens on no port: Node's HTTP client and Node's HTTP server, connected
 * by two streams in memory. The server behaves as on a socket. Rejects with the signal's reason, or with the error of
 * Node's client.
 */
export function sendInMemory(
  server: http.Server,
  request: http.RequestOptions,
  body: Buffer,
  { signal, refusal }: { signal: AbortSignal; refusal: Refusal },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const [near, far] = duplexPair();
    const end = () => {
      near.destroy();
      far.destroy();
    };
    const fail = (error: unknown) => {
      end();
      reject(signal.aborted ? signal.reason : error);
    };
    Object.assign(far, { remoteAddress: "127.0.0.1", refusal });
    server.emit("connection", far);

    const sent = new NodeClientRequest({ ...request, signal, createConnection: () => near });
    sent.on("error", fail);
    sent.on("response", (response) => {
      readResponse(response).then(resolve, fail).finally(end);
    });
    sent.end(body);
  });
}

async function readResponse(response: http.IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = "", headersDistinct } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const body = Buffer.concat(await response.toArray());
  return new Response(body.length > 0 ? body : null, { status, statusText, headers });
}

const withLength = ["POST", "PUT", "PATCH"];

/** A request as `fetch` sends it: to the path below the base URL, with the headers that HTTP requires. */
export function wireRequest(
  { method, headers }: Request,
  { host, search }: URL,
  path: string,
  body: Buffer,
): http.RequestOptions {
  const sent = new Headers([...headers]); // while msw is active, a copy of Headers can lack some of them
  sent.set("Host", host);
  sent.set("Connection", "keep-alive");
  for (const name of ["Keep-Alive", "Transfer-Encoding"]) sent.delete(name);
  // msw drops the body of a GET, and keeps its length. The service refuses such a request by its length.
  if (body.length > 0 || withLength.includes(method)) sent.set("Content-Length", `${body.length}`);
  return { method, path: path + search, headers: [...sent].flat(), setHost: false };
}

/** The body as tests see it: the parsed JSON, or the text if it is not JSON; null without a body. */
export function shownBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
