import { readFileSync } from "node:fs";
import { errorCodes, errors, routes } from "@queue-api/contract";
import { mockQueueApi } from "@queue-api/testkit";
import { describe, expect, it } from "vitest";
import { testService } from "../support/service.js";

const service = await testService({ usualStore: "memory" });
const mock = mockQueueApi();
const paths = [
  "",
  "/first-token",
  "/any-language",
  "/testing",
  "/seed",
  "/errors",
  "/dashboard",
  "/reference",
];

const read = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(new URL(path, `${service.url}/`), init);
  return { answer, text: await answer.text() };
};

const idsIn = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** A section of a page, from its heading to the next of the same level. */
const section = (page: string, id: string) =>
  new RegExp(`<h2 id="${id}">.*?(?=<h2 |</main>)`, "s").exec(page)?.[0] ?? "";

describe("every page", () => {
  it.each(paths)(
    "/docs%s is HTML that runs no script and loads nothing from elsewhere",
    async (path) => {
      const { answer, text } = await read(`/docs${path}`);
      expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      const policy = answer.headers.get("Content-Security-Policy");
      expect(policy).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(
        [...answer.headers.keys()].filter((name) => name.startsWith("access-control")),
      ).toEqual([]);
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|src="?http/);
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(text.match(/<h1/g)).toHaveLength(1);
    },
  );

  it.each(paths)("/docs%s links only to what is there", async (path) => {
    const here = new URL(`/docs${path}`, service.url);
    const { text } = await read(here.href);
    const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");
    expect(links.length).toBeGreaterThan(5);
    for (const link of new Set(links)) {
      const url = new URL(link, here);
      if (url.origin !== here.origin) continue;
      const { answer, text: target } = await read(url.href);
      expect(answer.status, link).toBe(200);
      if (url.hash) expect(idsIn(target), link).toContain(url.hash.slice(1));
    }
  });

  it.each(paths)("/docs%s has no id twice", async (path) => {
    const ids = idsIn((await read(`/docs${path}`)).text);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it("shows the address of the service that serves it", async () => {
    const { text } = await read("/docs/first-token");
    expect(text).toContain(`export QUEUE_API_BASE_URL=${service.url}\n`);
    expect(text).not.toContain("127.0.0.1:3000");
  });

  it("answers HEAD like GET, without the page", async () => {
    const { answer, text } = await read("/docs/errors", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get("Content-Length"))).toBeGreaterThan(1_000);
    expect(text).toBe("");
  });

  it("is all the HTML there is: anything else below /docs is the service's 404", async () => {
    for (const path of [
      "/docs/",
      "/docs/other",
      "/docs/errors/",
      "/docs/..%2f",
      "/docs/errors.md",
    ]) {
      const { answer, text } = await read(path);
      expect([answer.status, JSON.parse(text).error.code], path).toEqual([404, "not_found"]);
    }
    const posted = await read("/docs/errors", { method: "POST" });
    expect(posted.answer.status).toBe(404);
  });
});

describe("the page of errors", () => {
  it.each(errorCodes)("explains %s where docUrl points to", async (code) => {
    mock.reset();
    mock.faults.next("GET /v1/me", "status", { code });
    const refused = await mock.fetch(`${mock.baseUrl}/v1/me`, {
      headers: { Authorization: `Bearer ${mock.key()}` },
    });
    const { error } = (await refused.json()) as { error: { docUrl: string } };
    expect(error.docUrl).toBe(`${mock.baseUrl}/docs/errors#${code}`);

    const { pathname, hash } = new URL(error.docUrl);
    const { answer, text } = await read(pathname + hash);
    expect(answer.status).toBe(200);
    const explained = section(text, code);
    expect(explained).toContain(`<dt>Status</dt><dd>${errors[code].status}</dd>`);
    expect(explained).toContain(errors[code].message.replaceAll('"', "&quot;"));
    expect(explained).toContain("<strong>What to do.</strong>");
    expect(explained).toMatch(/<strong>Retry\?<\/strong> (Yes|No|Not)\b/);
  });

  it("lists all codes with their status, in the contract's order", async () => {
    const { text } = await read("/docs/errors");
    const listed = [
      ...section(text, "all-codes").matchAll(/<td>(\d+)<\/td><td><a href="#(\w+)">/g),
    ].map(([, status, code]) => `${status} ${code}`);
    expect(listed).toEqual(errorCodes.map((code) => `${errors[code].status} ${code}`));
  });

  it("explains no code that there is not", async () => {
    const { text } = await read("/docs/errors");
    const explained = [...text.matchAll(/<h2 id="([^"]+)">/g)].map(([, id]) => id);
    expect(explained).toEqual(["all-codes", ...errorCodes]);
  });

  it("says Yes to a retry of exactly those that may succeed unchanged", async () => {
    const { text } = await read("/docs/errors");
    const retried = errorCodes.filter((code) => /Retry\?<\/strong> Yes/.test(section(text, code)));
    expect(retried).toEqual(["request_in_progress", "rate_limited", "internal_error"]);
  });
});

describe("the endpoint reference", () => {
  it("shows every operation with its path, and every refusal of it", async () => {
    const { text } = await read("/docs/reference");
    for (const { method, path, metadata } of Object.values(routes).flatMap((noun) =>
      Object.values(noun),
    )) {
      const operation = new RegExp(`<h3 id="${metadata.operationId}">.*?</section>`, "s").exec(
        text,
      )?.[0];
      const written = path.replaceAll(/:(\w+)/g, "{$1}");
      expect(operation).toContain(`<span class="method">${method}</span> <code>${written}</code>`);
      const refusals = [...(operation ?? "").matchAll(/href="errors#(\w+)"/g)].map(
        ([, code]) => code,
      );
      expect(new Set(refusals)).toEqual(new Set(metadata.errors));
    }
  });

  it("shows every field of every object of the OpenAPI document", async () => {
    const { text } = await read("/docs/reference");
    const document = JSON.parse((await read("/v1/openapi.json")).text);
    for (const [name, schema] of Object.entries<{ properties?: object }>(
      document.components.schemas,
    )) {
      const isEnvelope = schema.properties && "data" in schema.properties;
      if (!schema.properties || isEnvelope) continue; // an envelope is shown with its endpoint
      const shown = new RegExp(`<h3 id="${name}">.*?(?=<h3 |</main>)`, "s").exec(text)?.[0];
      for (const field of Object.keys(schema.properties)) {
        expect(shown, `${name}.${field}`).toMatch(new RegExp(`<code>${field}(\\.\\w+)?</code>`));
      }
    }
  });
});

describe("the Markdown in the repository", () => {
  it.each(["index", "first-token", "any-language", "testing", "seed", "errors", "dashboard"])(
    "%s.md links only to files that are there",
    (name) => {
      const folder = new URL("../../docs/", import.meta.url);
      const text = readFileSync(new URL(`${name}.md`, folder), "utf8");
      for (const [, link = ""] of text.matchAll(/\]\(([^)#]+\.md)/g)) {
        expect(() => readFileSync(new URL(link, folder)), link).not.toThrow();
      }
    },
  );
});
