import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Request, RequestHandler, Response } from "express";
import { Encodings, forAYear } from "../lib/encodings.js";
import { escapeHtml } from "../lib/html.js";

/** The addresses of the service and of its reference, as the pages show them. */
interface DocsAddresses {
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
}

/** The paths outside `/docs/` that the pages have. `/docs.md` is a second name of `/docs/index.md`. */
export const docsPaths = ["/", "/docs", "/docs.md", "/llms.txt", "/llms-full.txt"];

/** Creates the handler of these paths and of the pages below `/docs`, which show the addresses. */
export type ServeDocs = (addresses: DocsAddresses) => RequestHandler;

/** The placeholders in the generated pages for the address of the service, and for its path. See `docs/build.ts`. */
const builtUrl = "http://127.0.0.1:3000";
const builtRoot = "{{root}}";

const folder = fileURLToPath(new URL("../pages/", import.meta.url));

/** Pages load only their own scripts and files. One page also sends requests to the API. */
const policyOf = (connect: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");

/** These headers take the place of those of a JSON response. */
const pageHeaders = { "Content-Security-Policy": policyOf("'none'"), "Cache-Control": "no-store" };
const tryPageHeaders = { ...pageHeaders, "Content-Security-Policy": policyOf("'self'") };
/** The headers of files whose name contains a hash of their content. */
const assetHeaders = { ...pageHeaders, "Cache-Control": forAYear };
const isHashed = (path: string) => /\.[0-9a-f]{12}\.\w+$/.test(path);

/** A file as it is sent. */
interface DocsFile {
  /** The extension of its name. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Encodings;
}

/**
 * Serves `/docs` and the pages below it, and redirects a browser from `/` to it. It does not use the database. For a
 * page that does not exist, a program gets the service's usual 404, and a browser gets a page. `tryIt`: whether the pages
 * include the one that sends requests with the key of a sandbox business.
 */
export const serveDocs =
  (tryIt: boolean): ServeDocs =>
  (addresses) => {
    let files: ReadonlyMap<string, DocsFile> | undefined;
    const fileAt = (path: string) => {
      files ??= readFiles(addresses, tryIt);
      return files.get(path);
    };

    return (req, res, next) => {
      const [path = ""] = req.originalUrl.split("?");
      const isRead = req.method === "GET" || req.method === "HEAD";
      if (!isRead) return next();
      if (path === "/") return isPerson(req, res) ? redirect(res, "docs") : next();
      if (path === "/docs/" || path === "/docs/index") return redirect(res, "../docs");
      const file = fileAt(filePath(path));
      if (file) return send(req, res, 200, file);
      if (!isPerson(req, res)) return next();
      const shorter = path.replace(/\/$/, "");
      if (shorter !== path && fileAt(filePath(shorter))) {
        return redirect(res, `../${shorter.slice(shorter.lastIndexOf("/") + 1)}`);
      }
      const missing = fileAt("404.html");
      return missing ? send(req, res, 404, missing) : next();
    };
  };

/** The files of the pages by their paths; none if the pages were not built. */
function readFiles(addresses: DocsAddresses, tryIt: boolean): Map<string, DocsFile> {
  const paths = existsSync(folder)
    ? readdirSync(folder, { encoding: "utf8", recursive: true })
    : [];
  const files = new Map<string, DocsFile>();
  for (const path of paths.map((one) => one.replaceAll(sep, "/"))) {
    const type = extname(path);
    if (type === "" || (path === "try.html" && !tryIt)) continue; // a folder, or a page that is switched off
    const bytes = readFileSync(`${folder}${path}`);
    const page = path === "try.html" ? tryPageHeaders : pageHeaders;
    const escaped = type === ".html" ? escapeHtml : String;
    const content = [".html", ".md", ".txt"].includes(type)
      ? Buffer.from(served(bytes.toString(), addresses, tryIt, escaped))
      : bytes;
    const headers = isHashed(path) ? assetHeaders : page;
    files.set(path, { type, headers, content: new Encodings(content) });
  }
  return files;
}

/** The file for a path. The path of a page has no extension. */
function filePath(path: string): string {
  if (path === "/docs") return "index.html";
  if (docsPaths.includes(path)) return path.replace("/docs.", "/index.").slice(1);
  const name = path.slice("/docs/".length);
  return /\.(?!html$)\w+$/.test(name) ? name : `${name}.html`;
}

/** A page with the addresses of this service. `written`: an address as the page writes it. */
function served(
  page: string,
  { baseUrl, docsUrl }: DocsAddresses,
  tryIt: boolean,
  written: (address: string) => string,
): string {
  return page
    .replaceAll(`${builtUrl}/docs`, () => written(docsUrl()))
    .replaceAll(builtUrl, () => written(baseUrl()))
    .replaceAll(builtRoot, () => written(new URL(baseUrl()).pathname.replace(/\/$/, "")))
    .replaceAll(/<!--sandbox-->(.*?)<!--\/sandbox-->/gs, tryIt ? "$1" : "");
}

/** Whether the client prefers HTML to JSON, as browsers do. */
function isPerson(req: Request, res: Response): boolean {
  res.vary("Accept");
  return req.accepts("json", "html") === "html";
}

function redirect(res: Response, location: string): void {
  res.status(302).set(pageHeaders).set("Location", location).send();
}

function send(req: Request, res: Response, status: number, file: DocsFile): void {
  const { bytes, headers } = file.content.chosenFor(req);
  res.vary("Accept-Encoding").set({ ...file.headers, ...headers });
  res.status(status).type(file.type).send(bytes);
}
