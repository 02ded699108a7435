import type { RequestHandler } from "express";
import { type DocsAddresses, type DocsFile, docsFiles } from "../docs/pages.js";
import { exchangeOf } from "./exchange.js";
import { constantHeaders } from "./headers.js";

/** Pages may show their own style and icon, and nothing else; no script runs. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Makes what answers `/docs`, from the addresses that its pages show. */
export type ServeDocs = (addresses: () => DocsAddresses) => RequestHandler;

/** Answers `/docs` and what lies below it; the only HTML of the service. Made at the first request. */
export const serveDocs: ServeDocs = (addresses) => {
  let files: Map<string, DocsFile> | undefined;
  return (req, res, next) => {
    const isRead = req.method === "GET" || req.method === "HEAD";
    if (!isRead || !(req.path === "/docs" || req.path.startsWith("/docs/"))) return next();
    files ??= docsFiles(addresses());
    const file = files.get(req.path);
    if (!file) return next();
    res.writeHead(200, [
      ...pageHeaders,
      "X-Request-Id",
      exchangeOf(res).requestId,
      "Content-Type",
      file.type,
      "Content-Length",
      `${Buffer.byteLength(file.content)}`,
    ]);
    res.end(file.content);
  };
};

/** The constant headers with a policy for pages in place of the one for JSON. */
const pageHeaders = constantHeaders.map((value, at) =>
  constantHeaders[at - 1] === "Content-Security-Policy" ? policy : value,
);
