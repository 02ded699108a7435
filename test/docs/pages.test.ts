import { readdirSync, readFileSync } from "node:fs";
import { errorCodes, errors, openApiDocument, routes } from "@queue-api/contract";
import { describe, expect, it } from "vitest";
import { testService } from "../support/service.js";
import { pagePaths, pagesFolder } from "./support/page-paths.js";

const service = await testService({ usualStore: "memory" });
const operations = Object.values(routes).flatMap((noun) => Object.values(noun));
const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

const read = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(new URL(path, `${service.url}/`), init);
  return { answer, text: await answer.text() };
};

const typeOf = (answer: Response) => answer.headers.get("Content-Type");

/** Every page by its path below /docs. */
const pages = new Map<string, Awaited<ReturnType<typeof read>>>();
for (const path of pagePaths) pages.set(path, await read(`/docs${path}`));
const textOf = (path: string) => pages.get(path)?.text ?? "";

const idsIn = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** A section of a page, from its heading to the next of the same level. */
const section = (page: string, id: string) =>
  new RegExp(`<h2 id="${id}">.*?(?=<h2 |</main>)`, "s").exec(page)?.[0] ?? "";

describe("every page", () => {
  it.each([...pages])(
    "/docs%s is HTML that runs and loads only files of this server",
    (_, page) => {
      const { answer, text } = page;
      expect([answer.status, typeOf(answer)]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.headers.get("Content-Security-Policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      );
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(
        [...answer.headers.keys()].filter((name) => name.startsWith("access-control")),
      ).toEqual([]);
      expect(text).not.toMatch(
        /<script(?! type="module" src=")|<style|\sstyle=|\son\w+=|src="?http/,
      );
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(text.match(/<h1/g)).toHaveLength(1);
      expect(text).not.toContain("127.0.0.1:3000");
      const ids = idsIn(text);
      expect(ids).toEqual([...new Set(ids)]);
    },
  );

  it.each(pagePaths)("/docs%s has no broken links", async (path) => {
    const here = new URL(`/docs${path}`, service.url);
    const links = [...textOf(path).matchAll(/(?:href|src)="([^"]+)"/g)].map(
      ([, link = ""]) => link,
    );
    expect(links.length).toBeGreaterThan(20);
    for (const link of new Set(links)) {
      const url = new URL(link, here);
      if (url.origin !== here.origin) continue;
      const found = pages.get(url.pathname.replace(/^\/docs/, "")) ?? (await read(url.pathname));
      const { answer, text: target } = found;
      expect(answer.status, link).toBe(200);
      if (url.hash) expect(idsIn(target), link).toContain(decodeURIComponent(url.hash.slice(1)));
    }
  });

  it.each([
    ["gzip, br", "br"],
    ["gzip;q=0.5", "gzip"],
    ["identity", null],
    ["br;q=0", null],
  ])(
    "has for Accept-Encoding %s the encoding %s, and the same content",
    async (accepted, given) => {
      const headers = { "Accept-Encoding": accepted };
      const { answer, text } = await read("/docs/sdk", { headers });
      expect(answer.headers.get("Content-Encoding")).toBe(given);
      expect(answer.headers.get("Vary")).toBe("Accept-Encoding");
      expect(text === textOf("/sdk")).toBe(true);
      const part = Number(answer.headers.get("Content-Length")) / Buffer.byteLength(text);
      if (given === null) expect(part).toBe(1);
      else expect(part).toBeLessThan(0.5);
    },
  );

  it("loads files that browsers can cache, because their names change with their content", async () => {
    const { text } = await read("/docs");
    const files = [...text.matchAll(/(?:src|href)="docs\/([\w.]+\.[0-9a-f]{12}\.\w+)"/g)];
    expect(files.length).toBeGreaterThan(2);
    for (const [, file] of files) {
      const { answer } = await read(`/docs/${file}`);
      expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
  });

  it.each(pagePaths)("/docs%s and all loaded files are less than 300 KB", async (path) => {
    const here = new URL(`/docs${path}`, service.url);
    const loaded = [
      ...textOf(path).matchAll(/<(?:img|script|link)[^>]* (?:src|href)="([^"]+)"/g),
    ].map(([, link]) => new URL(link ?? "", here).href);
    const index = readdirSync(pagesFolder).find((name) => name.startsWith("search.")) ?? "";
    const files = new Set([here.href, ...loaded, `${service.url}/docs/${index}`]);
    expect(files.size).toBeGreaterThan(4);
    const headers = { "Accept-Encoding": "br" };
    const sizes = [...files].map(async (file) => {
      const { answer } = await read(file, { method: "HEAD", headers });
      expect(answer.status, file).toBe(200);
      return Number(answer.headers.get("Content-Length"));
    });
    const sum = (await Promise.all(sizes)).reduce((one, other) => one + other, 0);
    expect(sum).toBeGreaterThan(10_000);
    expect(sum).toBeLessThan(300_000);
  });
});

describe("other paths below /docs", () => {
  it.each([
    ...[
      "/",
      "/docs/other",
      "/docs/errors/",
      "/docs/..%2f",
      "/docs/errors.html",
      "/docs/errors.html.html",
    ].map((path) => [path, "program", {}] as const),
    ["/docs/errors", "POST of a browser", { method: "POST", headers: browser }],
  ] as const)("%s gets the 404 of the API for a %s", async (path, _, init) => {
    const { answer, text } = await read(path, init);
    expect([answer.status, JSON.parse(text).error.code]).toEqual([404, "not_found"]);
  });

  it.each<[string, string, Record<string, string>]>([
    ["/", "/docs", browser],
    ["/docs/", "/docs", browser],
    ["/docs/", "/docs", {}],
    ["/docs/index", "/docs", {}],
    ["/docs/errors/", "/docs/errors", browser],
    ["/docs/reference/getMe/", "/docs/reference/getMe", browser],
  ])("%s redirects to %s with the headers %j", async (path, target, headers) => {
    const { answer } = await read(path, { headers, redirect: "manual" });
    expect(answer.status).toBe(302);
    const location = answer.headers.get("Location") ?? "";
    expect(new URL(location, service.url + path).pathname).toBe(target);
    expect(location).not.toMatch(/^\/|:/); // relative, so that it works behind any proxy
  });

  it.each(["/docs/nope", "/docs/a/b/c", "/docs/try", "/docs/errors.html", "/docs/%E0%A4%A"])(
    "%s gets a 404 page with its styles for a browser",
    async (path) => {
      const { answer, text } = await read(path, { headers: browser });
      expect([answer.status, typeOf(answer)]).toEqual([404, "text/html; charset=utf-8"]);
      expect(text).toContain("This page does not exist");
      const style = /href="([^"]+\.css)"/.exec(text)?.[1] ?? "";
      const { answer: found } = await read(new URL(style, service.url + path).href);
      expect(found.status).toBe(200);
    },
  );

  it("a path of 15,800 slashes gets the same 404 page as a short one", async () => {
    const { text } = await read(`/docs${"/".repeat(15_800)}`, { headers: browser });
    expect(text).toBe((await read("/docs/nope", { headers: browser })).text);
  });

  it("the 404 page finds its styles below the path of BASE_URL", async () => {
    const below = await testService({ settings: { baseUrl: "https://clinic.example/queue" } });
    const text = await (await fetch(`${below.url}/docs/a/b`, { headers: browser })).text();
    expect(text).toMatch(/<link rel="stylesheet" href="\/queue\/docs\/style\.\w+\.css">/);
    expect(text).toContain('href="/queue/docs"');
  });
});

describe("the page of errors", () => {
  // The conformance check of every response has its docUrl.
  it.each(errorCodes)("explains %s with its status, its message and what to do", (code) => {
    const explained = section(textOf("/errors"), code);
    expect(explained).toContain(`<dt>Status</dt><dd>${errors[code].status}</dd>`);
    expect(explained).toContain(errors[code].message.replaceAll('"', "&quot;"));
    expect(explained).toContain("<strong>What to do.</strong>");
    expect(explained).toMatch(/<strong>Retry\?<\/strong> (Yes|No|Not)\b/);
  });

  it("lists and explains all codes in the contract's order, and no others", () => {
    const text = textOf("/errors");
    const list = section(text, "all-codes");
    const listed = [...list.matchAll(/<code>(\w+)<\/code><\/a> <span>(\d+)<\/span>/g)];
    expect(listed.map(([, code, status]) => `${status} ${code}`)).toEqual(
      errorCodes.map((code) => `${errors[code].status} ${code}`),
    );
    const explained = [...text.matchAll(/<h2 id="([^"]+)">/g)].map(([, id]) => id);
    expect(explained).toEqual(["all-codes", ...errorCodes]);
    const retried = errorCodes.filter((code) => /Retry\?<\/strong> Yes/.test(section(text, code)));
    const unchanged = ["request_timeout", "request_in_progress", "rate_limited", "internal_error"];
    expect(retried, "those that can succeed unchanged").toEqual(unchanged);
  });
});

describe("the API reference", () => {
  const document = openApiDocument({ baseUrl: service.url, docsUrl: `${service.url}/docs` });

  it.each(operations)(
    "has a page for $metadata.operationId with its path, parameters and errors",
    ({ metadata, method, path: route }) => {
      const text = textOf(`/reference/${metadata.operationId}`);
      const path = route.replaceAll(/:(\w+)/g, "{$1}");
      expect(text).toContain(`>${method}</span> <code>${path}</code>`);
      const operation = document.paths[path]?.[method.toLowerCase()];
      for (const { name } of (operation?.parameters as { name: string }[] | undefined) ?? []) {
        expect(idsIn(text)).toContain(name);
      }
      const codes = [...section(text, "errors").matchAll(/href="\.\.\/errors#(\w+)"/g)];
      expect(new Set(codes.map(([, code]) => code))).toEqual(new Set(metadata.errors));
    },
  );

  it("shows every field of every schema of the OpenAPI document", () => {
    const ids = idsIn(textOf("/schemas"));
    const schemas = (document.components as { schemas: Record<string, { properties?: object }> })
      .schemas;
    expect(Object.keys(schemas).length).toBeGreaterThan(10);
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      if ("data" in properties) continue; // shown with its operation
      const fields = Object.keys(properties).map((field) => `${name}.${field}`);
      expect(ids).toEqual(expect.arrayContaining([name, ...fields]));
    }
  });
});

it("the SDK reference explains every export of the SDK and every method of its resources", () => {
  const text = textOf("/sdk-reference");
  const built = new URL("../../sdk/dist/esm/index.d.ts", import.meta.url);
  const lists = readFileSync(built, "utf8").matchAll(/^export (?:type )?\{ (.*) \};$/gm);
  const exported = [...lists].flatMap(([, names = ""]) => names.split(", "));
  expect(exported.length).toBeGreaterThan(20);
  const methods = ["api.entries.create", "api.entries.watch", "api.queues.get", "api.me.get"];
  expect(idsIn(text)).toEqual(expect.arrayContaining([...exported, ...methods]));
  expect(text).toContain("<code>api.entries.create()</code>");
  expect(section(text, "client")).toContain("However often the request has to be sent");
  expect(text).not.toMatch(/@internal|#private|\{@link/);
});

describe("the pages as Markdown", () => {
  /** The path of a page with Markdown in place of the HTML. */
  const markdownOf = (path: string) => `/docs${path || "/index"}.md`;

  /** What is outside blocks and pieces of code. */
  const prose = (text: string) => text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`]*`/g, "");
  const linksOf = (text: string) =>
    [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);

  it.each(pagePaths)(
    "/docs%s exists as Markdown too, with its title, its code and working links",
    async (path) => {
      const { answer, text } = await read(markdownOf(path));
      expect([answer.status, typeOf(answer)]).toEqual([200, "text/markdown; charset=utf-8"]);
      expect(text).toMatch(/^# \S.*\n\n/);
      expect(prose(text)).not.toMatch(/<\/?\w+[ >]|&\w+;/);
      expect(text).not.toContain("127.0.0.1:3000");
      const page = textOf(path);
      const link =
        /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(page)?.[1] ?? "";
      expect(new URL(link, `${service.url}/docs${path}`).pathname).toBe(markdownOf(path));
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
    const { answer, text } = await read("/llms.txt");
    expect(typeOf(answer)).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^# Queue API\n\n> \S.*\n\n/);
    expect(text).toContain("\n\n## Get started\n\n- [");
    const lines = text.split("\n").filter((line) => line.startsWith("- "));
    expect(lines.filter((line) => !/^- \[.+\]\(http\S+\.md\): \S.*[.:]$/.test(line))).toEqual([]);
    const linked = linksOf(text).map((link) => new URL(link).pathname);
    expect(linked.toSorted()).toEqual(pagePaths.map(markdownOf).toSorted());
  });

  it("/llms-full.txt is all pages, one after the other", async () => {
    const { answer, text } = await read("/llms-full.txt");
    expect(typeOf(answer)).toBe("text/plain; charset=utf-8");
    for (const path of pagePaths)
      expect(text).toContain((await read(markdownOf(path))).text.trimEnd());
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
});
