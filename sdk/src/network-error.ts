import { ConnectionError } from "./errors.js";
import { meaningOf, saysUnsent } from "./network-codes.js";
import { titleOf } from "./operation.js";
import { deepest, type Redactor } from "./redact.js";
import type { Reader } from "./task.js";

/** Where the network failed: before the response, or within it. */
type Failure = "connection" | "truncated";

/** The error of an attempt whose network failed. */
export function connectionError(
  failure: Failure,
  thrown: unknown,
  { operation, url, body, redactor, info }: Reader,
): ConnectionError {
  const masking = redactor.andBody(body);
  const message = `${titleOf(operation)}: ${networkMessage(failure, thrown, url, masking)}`;
  const isUnsent = failure === "connection" && isWithoutConnection(thrown);
  const cause = masking.cause(thrown);
  return new ConnectionError(message, { ...info, cause, isUnsent, retryReason: failure });
}

/** The codes with which undici refuses what it is asked to send: a bug, which no retry repairs. */
const wrongRequest = ["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"];

/** The messages of a connection that was never made, or had no TLS yet. Deno gives its reason at the end. */
const withoutConnection =
  /^connect E[A-Z]+|^Unable to connect|client error \(Connect\): (.+)|^bad port$|Requests to port \d+ are blocked|before secure TLS connection/;

/** Whether a network error says that there was no connection, so that nothing was sent. */
function isWithoutConnection(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, message }) => saysUnsent(String(code)) || withoutConnection.test(String(message)),
  );
}

/** The messages of runtimes that report network errors with neither a code nor a cause. */
const networkMessages =
  /^(fetch failed|failed to fetch|terminated|load failed|network ?error|network (request failed|connection lost)|error (sending request|reading a body)|internal error; reference)|pass `verbose: true` in the second argument to fetch/i;

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
  if (error instanceof ConnectionError) return true; // of another client, which the fetch uses
  const { name, message, cause } = error as ErrorLike;
  const code = codeOf(error) ?? "";
  if (wrongRequest.includes(code)) return false;
  if (meaningOf(code) !== null) return true;
  if (name === "NetworkError" || name === "TimeoutError") return true; // names of a DOMException
  if (typeof message === "string" && networkMessages.test(message)) return true;
  if (name !== "TypeError") return false;
  const ofBug = code === "" || code.startsWith("ERR_"); // codes of Node and Bun for wrong arguments
  return !ofBug || (typeof cause === "object" && cause !== null);
}

function networkMessage(failure: Failure, thrown: unknown, url: string, masking: Redactor): string {
  const { hostname, port, protocol } = new URL(url);
  const where = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const what =
    failure === "connection"
      ? `no response from ${where}`
      : `the response from ${where} was cut off`;
  const code = codeOf(thrown);
  const meaning = code && meaningOf(code);
  if (meaning) return `${what}: ${meaning} (${code}).`;
  const reason = code ?? reasonOf(thrown);
  return reason ? `${what}: ${masking.text(reason)}.` : `${what}.`;
}

/** Why a runtime without codes made no connection. */
function reasonOf(error: unknown): string | undefined {
  const found = causesOf(error).map(({ message }) => withoutConnection.exec(String(message)));
  const [whole, reason = whole] = found.find((match) => match) ?? [];
  return reason;
}

/** The code of the innermost error that has one. */
function codeOf(error: unknown): string | null {
  const codes = causesOf(error).map(({ code }) => code);
  return codes.findLast((code) => typeof code === "string") ?? null;
}

/** An error and its causes, which `fetch` wraps; of several, the first. They may come from another realm, as in jest. */
function causesOf(error: unknown, depth = deepest): ErrorLike[] {
  if (typeof error !== "object" || error === null || depth === 0) return [];
  const { cause, errors } = error as ErrorLike;
  const inner: unknown = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  return [error, ...causesOf(inner, depth - 1)];
}
