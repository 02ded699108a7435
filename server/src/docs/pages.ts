import { existsSync, readFileSync } from "node:fs";
import { openApiDocument } from "@queue-api/contract";
import { Html } from "../html.js";
import { errorFacts, errorTable } from "./errors-page.js";
import { page } from "./layout.js";
import { type Rendered, renderMarkdown } from "./markdown.js";
import { referencePage } from "./reference-page.js";

/** Something to be served below `/docs`. */
export interface DocsFile {
  readonly type: string;
  readonly content: string | Buffer;
}

/** Where the service and its reference are to be found, as the pages show it. */
export interface DocsAddresses {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** The pages that are written, in the order in which they are listed. */
const written = ["first-token", "any-language", "testing", "seed", "errors", "dashboard"] as const;

/** What the pages write for the address of the service. */
const exampleBaseUrl = /http:\/\/127\.0\.0\.1:3000/g;

/** Every file of the reference, by its path: `/docs`, `/docs/errors`, `/docs/style.css`… */
export function docsFiles({ baseUrl, docsUrl }: DocsAddresses): Map<string, DocsFile> {
  const read = (slug: string, options = {}): Rendered =>
    renderMarkdown(source(`${slug}.md`).replace(exampleBaseUrl, baseUrl), options);
  const guides = written.map((slug) => ({
    slug: slug as string,
    ...read(slug, slug === "errors" ? { afterHeading: addedToErrors } : {}),
  }));
  const reference = referencePage(openApiDocument({ baseUrl, docsUrl }));
  const all = [
    ...guides.map((guide) => ({
      ...guide,
      headings: guide.slug === "errors" ? [] : guide.headings,
    })),
    { slug: "reference", title: "Endpoint reference", ...reference },
  ];
  const home = read("index");
  const files = new Map<string, DocsFile>([
    ["/docs/style.css", { type: "text/css; charset=utf-8", content: source("assets/style.css") }],
    [
      "/docs/icon.svg",
      { type: "image/svg+xml; charset=utf-8", content: source("assets/icon.svg") },
    ],
  ]);
  const frame = (slug: string, folder: string, { title, body, headings }: Rendered) =>
    files.set(slug === "" ? "/docs" : `/docs/${slug}`, {
      type: "text/html; charset=utf-8",
      content: page({ title, body, pages: all, current: slug, folder, contents: headings }),
    });
  frame("", "docs/", { ...home, headings: [], body: inFolder(home.body) });
  for (const { slug, ...rendered } of all) {
    frame(slug, "", rendered);
    for (const picture of picturesIn(rendered.body)) {
      files.set(`/docs/${picture}`, { type: "image/png", content: readFileSync(place(picture)) });
    }
  }
  return files;
}

/** The pictures that a page shows, as paths below the folder of the pages. */
function picturesIn({ text }: Html): string[] {
  return [...text.matchAll(/<img src="(images\/[\w/-]+\.png)"/g)].map(([, path]) => path ?? "");
}

/** What the contract adds to the page of errors. */
function addedToErrors(heading: string): Html | null {
  return heading === "all-codes" ? errorTable() : errorFacts(heading);
}

/** The first page's address has no folder of its own; its links lead into `docs/`. */
function inFolder(body: Html): Html {
  return new Html(body.text.replaceAll(/href="(?![a-z]+:|#|\/)/g, 'href="docs/'));
}

/** In the package the sources lie beside `dist`, in the repository at its root. */
const folders = ["../../docs/", "../../../docs/"].map((path) => new URL(path, import.meta.url));

function source(name: string): string {
  return readFileSync(place(name), "utf8");
}

function place(name: string): URL {
  const file = folders.map((folder) => new URL(name, folder)).find((url) => existsSync(url));
  if (!file) throw new Error(`the page ${name} is missing from this installation`);
  return file;
}
