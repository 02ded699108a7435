import http from "node:http";
import { type Duplex, duplexPair } from "node:stream";

/** A response of the service, completely read. */
export interface WireResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Buffer<ArrayBuffer>;
}

/**
 * Node's own class. While msw is active, it replaces `http.ClientRequest`, and must not intercept a request
 * to the mocked service a second time.
 */
const NodeClientRequest = http.ClientRequest.prototype.constructor as typeof http.ClientRequest;

/**
 * Sends a request to a server that listens on no port: Node's HTTP client and Node's HTTP server, connected
 * by two streams in memory. The server behaves as on a socket. `onConnection` receives the server's end
 * before anything is sent. Rejects with the signal's reason, or with the error of Node's client.
 */
export function sendInMemory(
  server: http.Server,
  request: http.RequestOptions,
  body: Buffer | null,
  { signal, onConnection }: { signal: AbortSignal; onConnection: (socket: Duplex) => void },
): Promise<WireResponse> {
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
    Object.assign(far, { remoteAddress: "127.0.0.1" });
    onConnection(far);
    server.emit("connection", far);

    const sent = new NodeClientRequest({ ...request, signal, createConnection: () => near });
    sent.on("error", fail);
    sent.on("response", (response) => {
      readResponse(response).then(resolve, fail).finally(end);
    });
    sent.end(body);
  });
}

async function readResponse(response: http.IncomingMessage): Promise<WireResponse> {
  const { statusCode = 0, statusMessage = "", headersDistinct } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const body = Buffer.concat(await response.toArray()) as Buffer<ArrayBuffer>;
  return { status: statusCode, statusText: statusMessage, headers, body };
}

const ofTheConnection = ["connection", "content-length", "host", "keep-alive", "transfer-encoding"];
const withLength = ["POST", "PUT", "PATCH"];

/** A request as `fetch` sends it: to the path below the base URL, with the headers that HTTP requires. */
export function wireRequest(
  { method, headers }: Request,
  { host, search }: URL,
  path: string,
  body: Buffer | null,
): http.RequestOptions {
  const own = [...headers].filter(([name]) => !ofTheConnection.includes(name)).flat();
  // msw drops the body of a GET, and keeps its length. The service refuses such a request by its length.
  const length = body?.length ?? (withLength.includes(method) ? 0 : headers.get("content-length"));
  return {
    method,
    path: path + search,
    headers: [
      ...["host", host, "connection", "keep-alive"],
      ...own,
      ...(length === null ? [] : ["content-length", `${length}`]),
    ],
    setHost: false,
  };
}

export async function readBody(request: Request): Promise<Buffer | null> {
  return request.body === null ? null : Buffer.from(await request.arrayBuffer());
}

/** The body as tests see it: the parsed JSON, or the text if it is not JSON; null without a body. */
export function shownBody(body: Buffer | null): unknown {
  if (!body?.length) return null;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
