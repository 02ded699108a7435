import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errors } from "@queue-api/contract";
import { newUuid } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import { invalidField, type Refusal } from "../rules/refusal.js";
import { answerHeaders } from "./answer.js";
import { envelope } from "./errors.js";

/**
 * Requests that are not HTTP, or not whole, never reach the pipeline. They get the same envelope, then
 * the connection ends, for nobody knows where the next request would begin.
 */
export function answerProtocolErrors(server: Server, random: Random, docsUrl: () => string): void {
  const ending = new WeakSet<Socket>();
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket & { _httpMessage?: ServerResponse };
    const answering = socket._httpMessage; // the earliest answer that is not through on this connection
    if (error.code === "ECONNRESET" || !socket.writable || answering?.headersSent) {
      socket.destroy();
      return;
    }
    if (answering?.req.complete) {
      // That request was whole, so it gets its own answer; what came behind it gets none.
      if (!ending.has(socket)) answering.once("close", () => socket.destroy());
      ending.add(socket);
      return;
    }
    const refusal = refusalOf(error.code);
    const { status } = errors[refusal.code];
    const requestId = newUuid(random);
    const body = JSON.stringify(envelope(refusal, requestId, docsUrl()));
    const length = Buffer.byteLength(body);
    const headers = [...answerHeaders(requestId, null, length), "Connection", "close"];
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
    socket.end(`${head}\r\n${body}`);
  });
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return invalidField("headers", "must not be larger than 16 KB");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return invalidField("request", "did not arrive in time");
    case "HPE_INVALID_METHOD":
      return invalidField("request", "must be HTTP/1.1 with a registered method");
    default:
      return invalidField("request", "must be valid HTTP/1.1");
  }
}
