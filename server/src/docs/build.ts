import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorCodes, openApiDocument } from "@queue-api/contract";
import { build } from "rolldown";
import { Html, html } from "../lib/html.js";
import { agentsPage } from "./agents-page.js";
import { readDocument } from "./api-document.js";
import { errorFacts, errorList } from "./errors-page.js";
import { frame, type NavGroup, type SitePage } from "./layout.js";
import { renderMarkdown } from "./markdown.js";
import { llmsTxt, markdownOf } from "./markdown-pages.js";
import { referenceNav, referencePages } from "./reference-pages.js";
import { sdkModules } from "./sdk-declarations.js";
import { sdkReference } from "./sdk-pages.js";
import { searchModule } from "./search.js";
import { tryPage } from "./try-page.js";

/*
 * Generates the developer reference: every file below /docs. It runs when the project is built, so its tools
 * (a highlighter, a compiler, a search index) are not dependencies of the service.
 */

/**
 * The service URL in the generated pages. The service replaces it with its own, so a guide writes the address of the
 * demo in another way: `http://localhost:3000`.
 */
const baseUrl = "http://127.0.0.1:3000";
const docsUrl = `${baseUrl}/docs`;
const root = new URL("../../../", import.meta.url);
const written = new URL("../pages/", import.meta.url);
const source = (path: string) => readFileSync(new URL(path, root), "utf8");

function guide(slug: string, path = `docs/${slug}.md`) {
  const rendered = renderMarkdown(source(path), pageOf, slug === "errors" ? belowError : undefined);
  return { slug, kind: "Guide" as const, ...rendered };
}

/** What the contract adds to a section of the errors page. */
function belowError(heading: string): Html | null {
  return heading === "all-codes" ? errorList(errorCodes) : errorFacts(heading);
}

/** The page for a link between files: `errors#x` for `errors.md#x`, `sdk` and `testing` for a README. */
function pageOf(href: string): string {
  return href
    .replace(/^\.\.\/sdk\/README\.md(?=#|$)/, "sdk")
    .replace(/^\.\.\/testkit\/README\.md(?=#|$)/, "testing")
    .replace("../contract/openapi.json", "reference")
    .replace(/^(?:\.\.\/docs\/)?([\w-]+)\.md(?=#|$)/, "$1");
}

/** Shows the items of each list as cards. */
function asCards({ text }: Html): Html {
  return new Html(
    text.replaceAll("<ul>", '<ul class="cards">').replaceAll("<li>", '<li class="card">'),
  );
}

const document = readDocument(openApiDocument({ baseUrl, docsUrl }));
const { kind: _, body: cards, ...home } = guide("", "docs/index.md");
const rules = guide("any-language");
const testing = { ...guide("testing", "testkit/README.md"), title: "Test against it" };
const start = [guide("first-token"), rules, testing];
const run = [guide("seed"), guide("dashboard"), guide("changelog", "CHANGELOG.md")];
const sdk: SitePage[] = [
  { ...guide("sdk", "sdk/README.md"), title: "TypeScript SDK", kind: "SDK guide" },
  sdkReference(sdkModules(new URL("sdk/", root))),
];
const pages: SitePage[] = [
  { ...home, body: asCards(cards), contents: [] },
  ...start,
  ...run,
  { ...guide("errors"), kind: "Error", contents: [] },
  ...referencePages(document, baseUrl),
  ...sdk,
];

const linked = (some: readonly SitePage[]) =>
  some.map(({ slug, title }) => ({ to: slug, label: title }));
const nav: NavGroup[] = [
  { title: "Get started", links: [{ to: "", label: "Overview" }, ...linked(start)] },
  {
    title: "Rules for clients",
    links: rules.contents.map(({ id, title }) => ({ to: `${rules.slug}#${id}`, label: title })),
  },
  ...referenceNav(document),
  { title: "SDK", links: linked(sdk) },
  { title: "Run it", links: linked(run) },
];

rmSync(written, { recursive: true, force: true });
mkdirSync(new URL("reference/", written), { recursive: true });

/** Writes a file that pages load. Its name contains a hash of its content, so browsers may cache it. */
function asset(name: string, content: string | Buffer): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const file = name.replace(".", `.${hash}.`);
  writeFileSync(new URL(file, written), content);
  return file;
}

/** A file that the pages share with the dashboard. */
const shared = (name: string) => readFileSync(new URL(`server/assets/${name}`, root));

/** The sheet of all pages. The fonts that it names are written too. */
function styleSheet(): string {
  const sheets = ["theme", "base", "pages"].map((name) => shared(`${name}.css`));
  const dark = `@media (prefers-color-scheme: dark) {\n${shared("dark.css")}}\n`;
  return [...sheets, dark, source("server/src/docs/assets/reference.css")]
    .join("")
    .replaceAll(/figtree-[\w-]+\.woff2/g, (name) => asset(name, shared(name)));
}

/** Bundles a script with its imports. `search-index` is the generated search module. */
async function script(name: string, index: string): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(new URL(`server/src/docs/assets/${name}`, root)),
    platform: "browser",
    external: "search-index",
    write: false,
    output: {
      format: "es",
      minify: true,
      paths: { "search-index": `./${index}` },
      codeSplitting: false,
    },
  });
  return asset(name, output[0].code);
}

const index = asset("search.js", searchModule(pages));
const assets = {
  style: asset("style.css", styleSheet()),
  icon: asset("icon.svg", shared("icon.svg")),
  script: await script("page.js", index),
};
const markdown = new Map(pages.map((page) => [page.slug, markdownOf(page, docsUrl)]));
pages.push(tryPage(document.operations, await script("try.js", index)), {
  slug: "404",
  title: "This page does not exist",
  body: html`<p>It may have moved. Search for what you need with <kbd>/</kbd>, or begin at the <a href="../docs">overview</a>.</p>`,
});
for (const page of pages) {
  const path = page.slug === "" ? "index.html" : `${page.slug}.html`;
  const text = markdown.get(page.slug) ?? null;
  writeFileSync(new URL(path, written), frame(page, nav, assets, text));
  if (text) writeFileSync(new URL(path.replace(/html$/, "md"), written), text);
  for (const [, picture = ""] of page.body.text.matchAll(/<img src="(images\/[\w/-]+\.png)"/g)) {
    cpSync(new URL(`docs/${picture}`, root), new URL(picture, written));
  }
}

writeFileSync(new URL("llms.txt", written), llmsTxt(document, nav, markdown, docsUrl));
writeFileSync(new URL("llms-full.txt", written), [...markdown.values()].join("\n"));

for (const folder of ["contract", "sdk", "testkit", "server"]) {
  writeFileSync(new URL(`${folder}/AGENTS.md`, root), agentsPage(folder, source));
}
