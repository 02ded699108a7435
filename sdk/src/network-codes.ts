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

/** The codes with which OpenSSL, Node and Bun refuse a certificate. Other errors have codes that begin like them. */
const ofCertificate = new RegExp(
  `^(${[
    "UNABLE_TO_(GET_(ISSUER_CERT(_LOCALLY)?|CRL)|DECRYPT_(CERT|CRL)_SIGNATURE)",
    "UNABLE_TO_(DECODE_ISSUER_PUBLIC_KEY|VERIFY_LEAF_SIGNATURE)",
    "CERT_(SIGNATURE_FAILURE|NOT_YET_VALID|HAS_EXPIRED|CHAIN_TOO_LONG|REVOKED|UNTRUSTED|REJECTED)",
    "CRL_(SIGNATURE_FAILURE|NOT_YET_VALID|HAS_EXPIRED)",
    "(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?",
    "INVALID_(CA|PURPOSE)",
    "PATH_LENGTH_EXCEEDED",
    "HOSTNAME_MISMATCH",
    "ERR_TLS_CERT_ALTNAME_(INVALID|FORMAT)",
    "UNKNOWN_CERTIFICATE_VERIFICATION_ERROR",
  ].join("|")})$`,
);

/** The codes of Node and of Bun for a response that is not HTTP. */
const ofHttp = /^(HPE_[A-Z_]+|Malformed_HTTP_[A-Za-z]+)$/;

/** What the code of a network error means; null if it is not known as one. */
export function meaningOf(code: string): string | null {
  if (Object.hasOwn(meanings, code)) return meanings[code] ?? null;
  if (ofHttp.test(code)) return "the response is not valid HTTP";
  return ofCertificate.test(code) ? "the certificate is not trusted" : null;
}

const withoutConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|EPROTO|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)_.*|ConnectionRefused|FailedToOpenSocket)$/;

/**
 * Whether a code says that there was no connection, or no TLS on it, so that nothing was sent. On Bun, a refused
 * certificate does not say so: Bun calls the `checkServerIdentity` of a program after it has sent the request.
 */
export function saysUnsent(code: string): boolean {
  return withoutConnection.test(code) || (!("Bun" in globalThis) && ofCertificate.test(code));
}
