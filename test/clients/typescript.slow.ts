import { copyFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importTool, installTools } from "#tools";
import { census, journey, linesOf, stage } from "./journey.js";
import { beside, run } from "./toolchain.js";

const { astToString, openapiTypeScript, tsc } = await importTool("openapi", "tools.js");
/** The `node_modules` with the dependencies of the client. */
const modules = join(installTools("openapi"), "node_modules");

describe("a client by openapi-typescript and openapi-fetch", async () => {
  const here = await stage();
  const { folder } = here;
  let types = "";

  it("is generated, and compiles", async () => {
    types = astToString(await openapiTypeScript(JSON.stringify(here.document)));
    await writeFile(join(folder, "queue-api.ts"), types);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await copyFile(beside("typescript/journey.ts"), join(folder, "journey.ts"));
    await symlink(modules, join(folder, "node_modules"));
    const strictly = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const target = [
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom,dom.iterable",
    ];
    const compile = [
      tsc,
      ...strictly,
      ...target,
      "--types",
      "node",
      "--skipLibCheck",
      "journey.ts",
    ];
    await run(process.execPath, compile, folder);
  });

  it("has no type with an invented name", () => {
    const [, schemas = ""] = /^ {4}schemas: \{\n(.*?)^ {4}\};/ms.exec(types) ?? [];
    const names = [...schemas.matchAll(/^ {8}(\w+):/gm)].map(([, name]) => name ?? "");
    expect(names).not.toEqual([]);
    expect(schemas).not.toMatch(/^ {9,}\w+\??: \{/m); // and no anonymous type
    const models = { files: 1, lines: linesOf(types), types: names };
    expect(census("TypeScript", here, models)).toEqual([]);
  });

  it("completes the whole flow", async () => {
    const output = await run(process.execPath, ["journey.js"], folder, here.env);
    expect(JSON.parse(output)).toEqual(journey);
  });
});
