import {
  type ClientRequest,
  IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { errors } from "@queue-api/contract";
import { ApiError, invalidField } from "../rules/api-error.js";
import { newUuid } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import type { Connections } from "./connections.js";
import { knownContext } from "./context.js";
import { constantHeaders, rateLimitHeaders, untouchedWindow } from "./headers.js";
import { isBelow, sentPath } from "./request-observer.js";
import { envelope } from "./responses.js";

/** How long a refused connection may still send, in milliseconds. */
const lingerMs = 2_000;

/**
 * Requests that are not HTTP, or arrive too slowly, never reach the pipeline. They get the same envelope. If this happens
 * within a body, the pipeline responds. The connection ends, because it is unknown where the next request would begin.
 */
export function respondToProtocolErrors(
  server: Server,
  connections: Connections,
  random: Random,
  docsUrl: () => string,
): void {
  const ending = new WeakSet<Socket>();
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const { current, last } = connections.stateOf(socket);
    if (error.code === "ECONNRESET" || !socket.writable || current?.res.headersSent) {
      socket.destroy();
      return;
    }
    if (current && (current.req.complete || isBelow("/v1", sentPath(current.req)))) {
      // This request gets its own response, which the audit log records. Later ones get none.
      current.res.shouldKeepAlive = false;
      if (!current.req.complete) failBody(current.res, apiErrorOf(error.code));
      if (!ending.has(socket)) current.res.once("close", () => socket.destroy());
      ending.add(socket);
      return;
    }
    // No request began, or the rest of a request that already has its response did not arrive, or is invalid.
    if (current === null && (socket.bytesRead === 0 || last?.complete === false)) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(socket, apiErrorOf(error.code), newUuid(random), docsUrl()));
    // Data that still arrives is read for a moment, because it would cut off the response otherwise.
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
}

/** Lets the pipeline respond with an error when it reads the body. It responds with another one if it refuses before. */
function failBody(res: ServerResponse, error: ApiError): void {
  const context = knownContext(res);
  if (!context) return;
  context.bodyError = error;
  context.onBodyError?.(error);
}

/** A response as text, for a socket that has no request: its headers are those of every response. */
function rawResponse(
  socket: Socket,
  apiError: ApiError,
  requestId: string,
  docsUrl: string,
): string {
  const { status } = errors[apiError.code];
  const body = JSON.stringify(envelope(apiError, requestId, docsUrl));
  const req = new IncomingMessage(socket);
  // Each outgoing message has this method, but the types of Node give it to one class alone.
  const res = new ServerResponse(req) as ServerResponse & Pick<ClientRequest, "getRawHeaderNames">;
  constantHeaders(req, res, () => undefined);
  rateLimitHeaders(res, untouchedWindow);
  res.setHeader("X-Request-Id", requestId);
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Content-Length", Buffer.byteLength(body));
  res.setHeader("Date", new Date().toUTCString());
  res.setHeader("Connection", "close");
  const lines = res.getRawHeaderNames().map((name) => `${name}: ${res.getHeader(name)}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

function apiErrorOf(code: string | undefined): ApiError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return invalidField("headers", "must not be larger than 16 KB, with the URL");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError("request_timeout");
    case "HPE_INVALID_METHOD":
      return invalidField("request", "must be HTTP/1.1 with a registered method");
    default:
      return invalidField("request", "must be valid HTTP/1.1");
  }
}
