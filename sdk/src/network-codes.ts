/** What the codes mean that runtimes and libraries give network errors. */
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
  EPROTO: "the server does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not speak TLS",
  CERT_HAS_EXPIRED: "the certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
  // Bun before 1.4
  ConnectionRefused: "no connection could be made",
  FailedToOpenSocket: "no connection could be made",
  ConnectionClosed: "the connection was closed",
};

/** The codes with which OpenSSL refuses a certificate. */
const ofCertificate =
  /^(UNABLE_TO_|CERT_|CRL_|ERR_TLS_CERT_|UNKNOWN_CERT)|SELF_SIGNED_CERT|^(INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** What the code of a network error means; null if it is not known as one. */
export function meaningOf(code: string): string | null {
  if (Object.hasOwn(meanings, code)) return meanings[code] ?? null;
  if (/^(HPE_|Malformed_HTTP_)/.test(code)) return "the response is not valid HTTP"; // Node, Bun
  return ofCertificate.test(code) ? "the certificate is not trusted" : null;
}

const withoutConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|EPROTO|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)_.*|ConnectionRefused|FailedToOpenSocket)$/;

/** Whether a code says that there was no connection, or no TLS on it, so that nothing was sent. */
export function saysUnsent(code: string): boolean {
  return withoutConnection.test(code) || ofCertificate.test(code);
}
