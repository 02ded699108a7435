import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorCodes, openApiDocument } from "@queue-api/contract";
import { rolldown } from "rolldown";
import { type Html, html } from "../lib/html.js";
import { errorFacts, errorTable } from "./errors-page.js";
import { frame, type NavGroup, type SitePage } from "./layout.js";
import { type Rendered, renderMarkdown } from "./markdown.js";
import { referencePages } from "./reference-pages.js";
import { sdkModules } from "./sdk-declarations.js";
import { sdkReference } from "./sdk-pages.js";
import { recordsOfGuide, searchModule } from "./search.js";
import { tryPage } from "./try-page.js";

/*
 * Generates the developer reference: every file below /docs. It runs when the project is built, so its tools
 * (a highlighter, a compiler, a search index) are not dependencies of the service.
 */

/** The service URL in the generated pages. The service replaces it with its own. */
const baseUrl = "http://127.0.0.1:3000";
const root = new URL("../../../", import.meta.url);
const written = new URL("../pages/", import.meta.url);
const source = (path: string) => readFileSync(new URL(path, root), "utf8");

/** The guides, by group of the navigation. */
const guides = {
  start: ["first-token", "any-language", "testing"],
  reference: ["errors"],
  run: ["seed", "dashboard"],
} as const;

interface Guide extends Rendered {
  readonly slug: string;
}

function guide(slug: string, path = `docs/${slug}.md`): Guide {
  const options = slug === "errors" ? { afterHeading: addedToErrors } : {};
  return { slug, ...renderMarkdown(source(path), { ...options, linkTo: pageOf }) };
}

/** What the contract adds to a section of the errors page. */
function addedToErrors(heading: string): Html | null {
  return heading === "all-codes" ? errorTable(errorCodes) : errorFacts(heading);
}

/**
 * The page for a link between Markdown files: `errors.md#x` becomes `errors#x`, the SDK's README becomes
 * `sdk`.
 */
function pageOf(href: string): string {
  return href
    .replace(/^\.\.\/sdk\/README\.md(?=#|$)/, "sdk")
    .replace(/^(?:\.\.\/docs\/)?([\w-]+)\.md(?=#|$)/, "$1");
}

function pageOfGuide({ slug, title, body, headings }: Guide): SitePage {
  const contents =
    slug === "errors" || slug === "" ? [] : headings.filter(({ depth }) => depth === 2);
  return { slug, title, body, contents };
}

const all = (slugs: readonly string[]) => slugs.map((slug) => guide(slug));
const start = all(guides.start);
const run = all(guides.run);
const errors = guide("errors");
const home = guide("", "docs/index.md");
const sdk = { ...guide("sdk", "sdk/README.md"), title: "TypeScript SDK" };
const sdkAll = sdkReference(sdkModules(new URL("sdk/", root)));
const reference = referencePages(openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` }), baseUrl);

const linked = (some: readonly Guide[]) =>
  some.map(({ slug, title }) => ({ to: slug, label: title }));
/** The sections of a guide, for the navigation. */
const sectionsOf = (slug: string) =>
  [...start, ...run]
    .filter((one) => one.slug === slug)
    .flatMap(({ headings }) => headings.filter(({ depth }) => depth === 2))
    .map(({ id, title }) => ({ to: `${slug}#${id}`, label: title }));
const [first, ...endpoints] = reference.nav;
const nav: NavGroup[] = [
  { title: "Get started", links: [{ to: "", label: "Overview" }, ...linked(start)] },
  { title: "Rules for clients", links: sectionsOf("any-language") },
  ...(first ? [first] : []),
  ...endpoints,
  {
    title: "SDK",
    links: [
      { to: "sdk", label: "TypeScript SDK" },
      { to: "sdk-reference", label: "SDK reference" },
    ],
  },
  { title: "Run it", links: linked(run) },
];

const pages: SitePage[] = [
  ...[home, ...start, errors, sdk, ...run].map(pageOfGuide),
  ...reference.pages,
  sdkAll.page,
];

const records = [
  ...reference.records,
  ...recordsOfGuide({ ...errors, headings: errors.headings.slice(1) }, "Error"),
  ...[...start, ...run].flatMap((one) => recordsOfGuide(one, "Guide")),
  ...recordsOfGuide(sdk, "SDK guide"),
  ...sdkAll.records,
];

rmSync(written, { recursive: true, force: true });
mkdirSync(new URL("reference/", written), { recursive: true });

/** Writes a file that pages load. Its name contains a hash of its content, so browsers may cache it. */
function asset(name: string, content: string): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const [stem, extension] = name.split(".");
  const file = `${stem}.${hash}.${extension}`;
  writeFileSync(new URL(file, written), content);
  return file;
}

/** Bundles a script with its imports. `search-index` is the generated search module. */
async function script(name: string, index: string): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(`server/src/docs/assets/${name}`, root)),
    platform: "browser",
    external: "search-index",
  });
  const { output } = await build.generate({
    format: "es",
    minify: true,
    paths: { "search-index": `./${index}` },
    codeSplitting: false,
  });
  await build.close();
  return asset(name, output[0].code);
}

const index = asset("search.js", searchModule(records));
const assets = {
  style: asset("style.css", source("server/src/docs/assets/style.css")),
  icon: asset("icon.svg", source("server/src/docs/assets/icon.svg")),
  script: await script("page.js", index),
};
pages.push(tryPage(reference.document, reference.operations, await script("try.js", index)), {
  slug: "404",
  title: "This page does not exist",
  body: html`<p>It may have moved. Search for what you need with <kbd>/</kbd>, or begin at the <a href="../docs">overview</a>.</p>`,
});
for (const page of pages) {
  const path = page.slug === "" ? "index.html" : `${page.slug}.html`;
  writeFileSync(new URL(path, written), frame(page, nav, assets));
  for (const [, picture = ""] of page.body.text.matchAll(/<img src="(images\/[\w/-]+\.png)"/g)) {
    cpSync(new URL(`docs/${picture}`, root), new URL(picture, written));
  }
}
