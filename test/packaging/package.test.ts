import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { publint } from "publint";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { Project } from "../support/project.js";
import { completed } from "../support/run.js";
import { both, imported, inWorker, required } from "./programs.js";

const installed = await Project.make();
const packageFolder = installed.inPackage("@queue-api/sdk");

const read = (path: string) => readFile(join(packageFolder, path), "utf8");

/** The files and folders of the installed package, by their paths in the package. */
const files = () => readdir(packageFolder, { recursive: true });

describe("the packed package", () => {
  test("installs only ky with it, and has no install scripts", async () => {
    expect(await readdir(join(installed.folder, "node_modules/@queue-api"))).toEqual(["sdk"]);
    const others = await readdir(join(installed.folder, "node_modules"));
    expect(others.filter((name) => !name.startsWith("."))).toEqual(["@queue-api", "ky"]);
    const manifest = JSON.parse(await read("package.json"));
    expect(manifest.dependencies).toEqual({ ky: expect.stringMatching(/^1\.14\.\d+$/) });
    const scripts = Object.keys(manifest.scripts ?? {});
    expect(scripts.filter((name) => /install/.test(name))).toEqual([]);
  });

  test("bundles ky and its licence in the CommonJS build, which cannot import it", async () => {
    const code = await read("dist/cjs/index.js");
    expect(code).not.toMatch(/require\(["']ky["']\)/);
    expect(code).toContain("Copyright (c) Sindre Sorhus");
    expect(code).toContain("The above copyright notice and this permission notice");
    expect(await read("dist/esm/index.js")).toMatch(/ from "ky";/);
  });

  test("is smaller than a megabyte, unpacked", async () => {
    const sizes = await Promise.all(
      (await files()).map(async (path) => (await stat(join(packageFolder, path))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_000_000);
  });

  test("passes publint", async () => {
    const { messages } = await publint({ pkgDir: packageFolder, strict: true });
    expect(messages).toEqual([]);
  });

  test("has one file of declarations for each entry", async () => {
    const declarations = (await files()).filter((path) => /\.d\.ts$/.test(path)).sort();
    const names = ["index.d.ts", "opentelemetry.d.ts"];
    expect(declarations).toEqual(
      ["cjs", "esm"].flatMap((to) => names.map((name) => `dist/${to}/${name}`)),
    );
  });

  test("has source maps of its code", async () => {
    const packed = await files();
    const code = packed.filter((path) => /^dist\/.*\.js$/.test(path));
    expect(code.length).toBeGreaterThan(3);
    for (const path of code) {
      const map = JSON.parse(await read(`${path}.map`));
      expect(await read(path)).toContain("//# sourceMappingURL=");
      for (const [index, mapped] of map.sources.entries()) {
        const inside = resolve("/", dirname(path), mapped).slice(1);
        const there = map.sourcesContent?.[index] || packed.includes(inside);
        expect([path, mapped, Boolean(there)]).toEqual([path, mapped, true]);
      }
    }
  });
});

describe("a program", () => {
  test.each([
    ["required.cjs", required],
    ["imported.mjs", imported],
    ["both.mjs", both],
  ])("%s works", async (name, text) => {
    const program = await installed.write(name, text);
    const { stdout, stderr } = await completed(process.execPath, [program]);
    expect([stdout.trim(), stderr]).toEqual(["works", ""]);
  });

  test("that uses one export is bundled without the others", async () => {
    const text = 'import { NotFoundError } from "@queue-api/sdk";\nconsole.log(NotFoundError);\n';
    const build = await rolldown({
      input: await installed.write("one.mjs", text),
      platform: "node",
    });
    const { output } = await build.generate();
    await build.close();
    const code = output.map((chunk) => ("code" in chunk ? chunk.code : "")).join("");
    expect(code).toContain("NotFoundError");
    expect(code).not.toContain("RateLimit-");
    expect(code).not.toContain("fetch");
    expect(code.length).toBeLessThan(10_000);
  });

  test("is bundled and minified for a browser or a worker without Node modules, and works there", async () => {
    const warnings: string[] = [];
    const build = await rolldown({
      input: await installed.write("worker.mjs", inWorker),
      platform: "browser",
      onLog: (_, { message }) => warnings.push(message),
    });
    const { output } = await build.generate({ format: "iife", minify: true });
    await build.close();
    expect(warnings).toEqual([]);
    expect(output.flatMap((chunk) => ("imports" in chunk ? chunk.imports : []))).toEqual([]);

    const requested: string[] = [];
    const worker = createContext({
      AbortController,
      AbortSignal,
      Headers,
      Request,
      Response,
      TextDecoder,
      TextEncoder,
      URL,
      clearTimeout,
      crypto,
      performance,
      setTimeout,
      fetch: async (url: string) => {
        requested.push(url);
        return Response.json({ data: [] });
      },
    });
    runInContext(output[0].code, worker);
    expect(await worker.works).toBe(true);
    expect(requested).toEqual(["https://queue.example/v1/queues"]);
  });
});
