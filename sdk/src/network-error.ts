import { TimeoutError as KyTimeoutError } from "ky";
import { ConnectionError, QueueApiError, TimeoutError } from "./errors.js";
import { titleOf } from "./operation.js";
import { deepest } from "./redact.js";
import type { ApiRequest, Reader } from "./task.js";

/** The network failed before the response, or within it. */
export class NetworkError extends Error {
  readonly kind: "connection" | "truncated";

  constructor(kind: NetworkError["kind"], cause: unknown) {
    super(kind, { cause });
    this.kind = kind;
  }
}

/**
 * The error of an attempt without a response. It is not retried if a bug of the `fetch` was thrown.
 *
 * @param timeoutMs - The timeout of the attempt.
 */
export function readError(
  thrown: Error,
  { operation, url, body, redactor, info }: Reader & Pick<ApiRequest, "url">,
  timeoutMs: number,
): QueueApiError {
  const title = titleOf(operation);
  if (thrown instanceof KyTimeoutError) {
    const message = `${title}: no complete response arrived within ${timeoutMs} ms (timeoutMs).`;
    return new TimeoutError(message, { ...info, clock: "attempt", retryReason: "timeout" });
  }
  if (thrown instanceof NetworkError) {
    const { kind } = thrown;
    const cause = redactor.andBody(body).cause(thrown.cause);
    const message = `${title}: ${networkMessage(kind, url, cause)}`;
    return new ConnectionError(message, { ...info, cause, retryReason: kind });
  }
  return new QueueApiError(`${title}: fetch threw an error that is not a network error.`, info);
}

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ECONNABORTED: "the connection was closed",
  EPIPE: "the connection was closed",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection could not be made in time",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to the network",
  UND_ERR_CONNECT_TIMEOUT: "the connection could not be made in time",
  UND_ERR_SOCKET: "the connection was closed",
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate is not trusted",
  EPROTO: "the server does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not speak TLS",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
};

/** The codes with which undici refuses what it is asked to send: a bug, which no retry repairs. */
const wrongRequest = ["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"];

/** The codes of a connection that was never made, so that nothing was sent. */
const withoutConnection = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];

/** Whether a network error says that there was no connection. Runtimes without such codes do not say it. */
export function isWithoutConnection(error: unknown): boolean {
  return withoutConnection.includes(codeOf(error) ?? "");
}

/** The messages of runtimes that report network errors with neither a code nor a cause. */
const networkMessages =
  /^(fetch failed|failed to fetch|terminated|load failed|network ?error|network (request failed|connection lost)|error (sending request|reading a body))/i;

interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/**
 * Whether an error of `fetch` is a network error. The standard requires a `TypeError`, but a bug throws
 * one too. A network error has a cause, or a code or message that runtimes use for it. Libraries throw
 * their own errors with Node's codes.
 */
export function isNetworkError(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, message, cause } = error as ErrorLike;
  const code = codeOf(error) ?? "";
  if (wrongRequest.includes(code)) return false;
  if (Object.hasOwn(meanings, code)) return true;
  if (name === "NetworkError" || name === "TimeoutError") return true; // names of a DOMException
  if (typeof message === "string" && networkMessages.test(message)) return true;
  if (name !== "TypeError") return false;
  const ofBug = code === "" || code.startsWith("ERR_"); // codes of Node and Bun for wrong arguments
  return !ofBug || (typeof cause === "object" && cause !== null);
}

function networkMessage(kind: NetworkError["kind"], url: string, cause: unknown): string {
  const { hostname, port, protocol } = new URL(url);
  const where = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const what =
    kind === "connection" ? `no response from ${where}` : `the response from ${where} was cut off`;
  const code = codeOf(cause);
  if (code === null) return `${what}.`;
  const meaning = meanings[code];
  return meaning === undefined ? `${what}: ${code}.` : `${what}: ${meaning} (${code}).`;
}

/** The code of the innermost error, which `fetch` wraps. It may come from another realm, as in jest. */
function codeOf(error: unknown, depth = deepest): string | null {
  if (typeof error !== "object" || error === null || depth === 0) return null;
  const { code, cause, errors } = error as ErrorLike;
  const first: unknown = Array.isArray(errors) ? errors[0] : null;
  const inner = codeOf(cause, depth - 1) ?? codeOf(first, depth - 1);
  return inner ?? (typeof code === "string" ? code : null);
}
