import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { testService } from "../support/service.js";

const service = await testService({ usualStore: "memory" });
const pagesFolder = new URL("../../server/dist/pages/", import.meta.url);
const read = async (path: string) => {
  const answer = await fetch(new URL(path, service.url));
  return { answer, type: answer.headers.get("Content-Type"), text: await answer.text() };
};

/** The path of every page with the Markdown in place of the HTML. `try` is a form, and `404` has no address. */
const paths = readdirSync(pagesFolder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !["404.html", "try.html"].includes(name))
  .map((name) => `/docs/${name.replace("html", "md")}`);

/** What is outside blocks and pieces of code. */
const prose = (text: string) => text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`]*`/g, "");
const linksOf = (text: string) =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);

it.each(paths)(
  "%s is the page as Markdown, with its title, its code and working links",
  async (path) => {
    const { answer, type, text } = await read(path);
    expect([answer.status, type]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text).toMatch(/^# \S.*\n\n/);
    expect(prose(text)).not.toMatch(/<\/?\w+[ >]|&\w+;/);
    expect(text).not.toContain("127.0.0.1:3000");
    const { answer: html, text: page } = await read(path.replace(/\.md$/, ""));
    const link =
      /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(page)?.[1] ?? "";
    expect(new URL(link, html.url).pathname).toBe(path);
    expect(text.match(/^\s*```\S/gm)?.length ?? 0).toBe(
      page.match(/<pre [^>]*data-language/g)?.length ?? 0,
    );
    for (const link of new Set(linksOf(text))) {
      const url = new URL(link);
      if (url.origin !== service.url) continue;
      expect((await read(url.pathname)).answer.status, link).toBe(200);
    }
  },
);

it("a page of an endpoint as Markdown has its samples, fields and errors", async () => {
  const { text } = await read("/docs/reference/createEntry.md");
  expect(text).toContain("```sh\ncurl -X POST");
  expect(text).toContain(`import { QueueApi } from "@queue-api/sdk";`);
  expect(text).toMatch(/^- +`Idempotency-Key` string optional: .*Pattern/m);
  expect(text).toContain(`[\`queue_paused\`](${service.url}/docs/errors.md#queue_paused) 409: `);
  expect(text).not.toContain("Try it");
});

it("a table stays a table in Markdown, also without headings", async () => {
  const { text } = await read("/docs/sdk.md");
  expect(text).toMatch(/^\| {3}\| {3}\|\n\| --- \| --- \|\n\| `api\.me\.get\(\)` \| the key/m);
});

it("/llms.txt has a title, a summary, and a link with a note to every page", async () => {
  const { type, text } = await read("/llms.txt");
  expect(type).toBe("text/plain; charset=utf-8");
  expect(text).toMatch(/^# Queue API\n\n> \S.*\n\n/);
  expect(text).toContain("\n\n## Get started\n\n- [");
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  expect(lines.filter((line) => !/^- \[.+\]\(http\S+\.md\): \S.*[.:]$/.test(line))).toEqual([]);
  const linked = linksOf(text).map((link) => new URL(link).pathname);
  expect(linked.toSorted()).toEqual(paths.toSorted());
});

it("/llms-full.txt is all pages, one after the other", async () => {
  const { type, text } = await read("/llms-full.txt");
  expect(type).toBe("text/plain; charset=utf-8");
  for (const path of paths) expect(text).toContain((await read(path)).text.trimEnd());
});

it.each(["https://docs.example.com", "https://example.com/reference"])(
  "links lead to the files of the reference when it has the address %s",
  async (docsUrl) => {
    const elsewhere = await testService({ usualStore: "memory", settings: { docsUrl } });
    const text = await (await fetch(`${elsewhere.url}/llms-full.txt`)).text();
    const list = await (await fetch(`${elsewhere.url}/llms.txt`)).text();
    expect(linksOf(list)).toContain(`${docsUrl}/index.md`);
    for (const link of new Set([...linksOf(text), ...linksOf(list)])) {
      if (!link.startsWith(docsUrl)) continue;
      const path = new URL(link.replace(docsUrl, `${elsewhere.url}/docs`));
      expect((await fetch(path)).status, link).toBe(200);
    }
  },
);

it.each([
  ["/docs/first-token.md", "http://localhost:3000"],
  ["/docs/sdk.md", "http://127.0.0.1:…"],
])(
  "%s names the address that the demo prints, whatever that of the service is",
  async (path, url) => {
    expect((await read(path)).text).toContain(`\nexport QUEUE_API_BASE_URL=${url}`);
  },
);
