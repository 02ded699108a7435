import { createServer, type IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../../support/listen.js";

/** A received request. */
interface Arrived {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a behaviour returns if it sends nothing more and leaves the connection open. */
const stalled = Symbol("stalled");

/** Answers a request, or lets it fail, on its connection. */
export type Behaviour = (socket: Socket, request: Arrived) => unknown;

export type FaultServer = Awaited<ReturnType<typeof faultServer>>;

/** A server until the test ends. Node reads its requests; a test decides which bytes answer each of them. */
export async function faultServer(behave: Behaviour) {
  const requests: Arrived[] = [];
  const unanswered = new Set<Socket>();
  const server = createServer(async (request) => {
    const { socket, method = "", headers } = request;
    const arrived = { method, headers, body: await text(request) };
    requests.push(arrived);
    if (behave(socket, arrived) !== stalled) return;
    unanswered.add(socket);
    socket.on("close", () => unanswered.delete(socket));
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  /** The number of requests that never get a response. */
  const hanging = () => unanswered.size;
  return { url, requests, hanging };
}

/** A response as text. */
export function httpAnswer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${body}`;
}

/** Begins each response and never ends it. */
export const stall =
  (beginning: string): Behaviour =>
  (socket) => {
    socket.write(beginning);
    return stalled;
  };

/** Handles every request in the same way. */
export const always =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (socket) =>
    socket.write(httpAnswer(status, JSON.stringify(body), headers));
