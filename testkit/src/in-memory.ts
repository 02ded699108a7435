import http, { type ClientRequest, type IncomingMessage, type Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";

/** A request in wire format. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

/** An answer in wire format, completely read. */
export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: [name: string, value: string][];
  readonly body: Buffer<ArrayBuffer>;
}

/**
 * Node's own class. While msw is active, it replaces `http.ClientRequest`, and must not intercept a request
 * to the mocked service a second time.
 */
const NodeClientRequest = http.ClientRequest.prototype.constructor as typeof ClientRequest;

/**
 * Sends a request to a server that listens on no port: Node's HTTP client and Node's HTTP server, connected
 * by two streams in memory. The server behaves as on a socket. `onConnection` receives the server's end
 * before anything is sent. Rejects with the signal's reason, or with the error of Node's client.
 */
export function sendInMemory(
  server: Server,
  request: WireRequest,
  { signal, onConnection }: { signal: AbortSignal; onConnection: (socket: Duplex) => void },
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const [near, far] = duplexPair();
    const end = () => {
      signal.removeEventListener("abort", abort);
      near.destroy();
      far.destroy();
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    const abort = () => fail(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);

    Object.assign(far, { remoteAddress: "127.0.0.1" });
    onConnection(far);
    server.emit("connection", far);

    const sent = new NodeClientRequest({
      createConnection: () => near,
      method: request.method,
      path: request.target,
      headers: request.headers,
      setHost: false,
    });
    sent.on("error", fail);
    sent.on("response", (answer) => {
      readAnswer(answer).then(resolve, fail).finally(end);
    });
    sent.end(request.body);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<WireAnswer> {
  const { statusCode = 0, statusMessage = "", rawHeaders } = answer;
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [],
  );
  const body = (await buffer(answer)) as Buffer<ArrayBuffer>;
  return { status: statusCode, statusText: statusMessage, headers, body };
}
