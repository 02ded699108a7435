import helmet from "helmet";

/**
 * The headers that a page has in place of those of a JSON response: it loads only its own style, scripts and pictures,
 * and connects only to its own server.
 */
export const pageHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  referrerPolicy: { policy: "same-origin" },
  xFrameOptions: { action: "deny" },
  strictTransportSecurity: { includeSubDomains: false }, // subdomains may belong to other services
});
