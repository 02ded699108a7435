import type * as Http from "node:http";
import {
  AnswerCutShort,
  type Exchange,
  type HttpAnswer,
  longestBody,
  NoAnswer,
} from "./exchange.js";
import { type NodeClient, proxiesOf } from "./node-client.js";

/**
 * Sends requests to an origin by Node's HTTP client, whose `request` is looked up each time, so that
 * whoever replaces it is seen.
 *
 * @param ownAgent - Holds the connections. Default: one for all clients, which keeps them.
 */
export function nodeExchange(origin: string, client: NodeClient, ownAgent?: Http.Agent): Exchange {
  const { protocol, hostname: host, port } = new URL(origin);
  const hostname = host.replace(/^\[|\]$/g, ""); // around an IPv6 address
  const agent = ownAgent ?? sharedAgent(client);
  return ({ method, path, headers, body }, onStop) =>
    new Promise((resolve, reject) => {
      // Written out, for Node copies it four times, and copies of what was spread are slow.
      const options = { protocol, hostname, port, agent, method, path, headers: { ...headers } };
      const request = requested(client, options);
      onStop((reason) => request.destroy(reason));
      receive(request, reject, (message, text) => {
        resolve(new NodeAnswer(origin + path, message, text));
      });
      request.end(body ?? undefined);
    });
}

function requested(client: NodeClient, options: Http.RequestOptions): Http.ClientRequest {
  try {
    return client.request(options);
  } catch (cause) {
    throw new NoAnswer("No answer came.", { cause }); // an agent for the other protocol, for example
  }
}

/** Waits for the whole answer; its text is null when it is too long. */
function receive(
  request: Http.ClientRequest,
  reject: (failure: NoAnswer | AnswerCutShort) => void,
  resolve: (message: Http.IncomingMessage, text: string | null) => void,
): void {
  let answer: Http.IncomingMessage | undefined;
  const fail = (cause: unknown) => {
    const failure = answer
      ? new AnswerCutShort("The answer broke off.", { cause })
      : new NoAnswer("No answer came.", { cause });
    reject(failure);
  };
  request.on("error", fail);
  request.on("close", () => {
    if (!answer?.complete) fail(new Error("The connection was closed.")); // after a 101 nothing else is said
  });
  request.on("response", (message) => {
    answer = message;
    message.on("error", fail);
    readBody(message, (text) => {
      resolve(message, text);
      if (text === null) request.destroy();
    });
  });
}

/** Hands over the body, or null as soon as it is too long. */
function readBody(message: Http.IncomingMessage, done: (text: string | null) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  message.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > longestBody) done(null);
  });
  message.on("end", () => {
    const [first] = chunks;
    const body = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    done(body.toString());
  });
}

class NodeAnswer implements HttpAnswer {
  readonly status: number;
  readonly text: string | null;
  readonly #url: string;
  readonly #message: Http.IncomingMessage;

  constructor(url: string, message: Http.IncomingMessage, text: string | null) {
    this.#url = url;
    this.#message = message;
    this.status = message.statusCode ?? 0;
    this.text = text;
  }

  header(name: string): string | null {
    const value = this.#message.headers[name];
    return typeof value === "string" ? value : null;
  }

  get response(): Response {
    const { status, text } = this;
    const { statusMessage, rawHeaders } = this.#message;
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    }
    const body = status === 204 || status === 205 ? null : text; // such a Response has no body
    const response = new Response(body, { status, statusText: statusMessage ?? "", headers });
    return Object.defineProperty(response, "url", { value: this.#url });
  }
}

/**
 * How long a connection is kept while nothing is sent. Load balancers close one after 60 seconds, as a
 * rule, and a watch polls every 30 at the slowest.
 */
export const idleMs = 45_000;

const sharedAgents = new Map<NodeClient, Http.Agent>();

/** The agent of all clients in this process. Its idle connections do not keep the process running. */
function sharedAgent(client: NodeClient): Http.Agent {
  const agent = sharedAgents.get(client) ?? makeAgent(client);
  sharedAgents.set(client, agent);
  return agent;
}

function makeAgent(client: NodeClient): Http.Agent {
  const proxyEnv = proxiesOf(client);
  const options = { keepAlive: true, timeout: idleMs, ...(proxyEnv !== undefined && { proxyEnv }) };
  return new client.Agent(options);
}
