import { AnswerCutShort, type NoAnswer } from "./exchange.js";

/** What the codes of the usual failures mean. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection could not be made in time",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  UND_ERR_CONNECT_TIMEOUT: "the connection could not be made in time",
  UND_ERR_SOCKET: "the connection was closed",
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate is not trusted",
  EPROTO: "no TLS is spoken there, as at an http: address",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
};

/** A sentence for people about a connection that failed. */
export function connectionProblem(error: NoAnswer | AnswerCutShort): string {
  const code = codeOf(error.cause);
  const why = code === null ? "" : `: ${meanings[code] ?? code}`;
  return error instanceof AnswerCutShort
    ? `The answer broke off before its end${why}.`
    : `No answer came${why}.`;
}

/** The code of the error at the bottom; fetch wraps it. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause, errors } = error as Error & { code?: unknown; errors?: unknown };
  const inner = codeOf(cause) ?? (Array.isArray(errors) ? codeOf(errors[0]) : null);
  return inner ?? (typeof code === "string" ? code : null);
}
