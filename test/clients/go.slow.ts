import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Operation, operations } from "../contract/document.js";
import { census, journey, linesOf, stage } from "./journey.js";
import { beside, missing, run } from "./toolchain.js";

const none = missing("Go", { go: "version" });
const env = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly" };

describe.skipIf(none)(`a client by oapi-codegen${none ? ` (${none})` : ""}`, async () => {
  const here = await stage();
  const project = join(here.folder, "project");

  it("is generated, and compiles", async () => {
    await cp(beside("go"), project, { recursive: true });
    await mkdir(join(project, "client"));
    for (const part of ["types", "client"]) {
      const target = ["-generate", part, "-package", "client", "-o", `client/${part}.gen.go`];
      await run("go", ["tool", "oapi-codegen", ...target, here.documentFile], project, env);
    }
    await run("go", ["build", "-o", "journey", "."], project, env);
  });

  it("has no type with an invented name", async () => {
    const text = await readFile(join(project, "client/types.gen.go"), "utf8");
    const types = [...text.matchAll(/^type (\w+)/gm)].map(([, name]) => name ?? "");
    const models = { files: 1, lines: linesOf(text), types };
    expect(census("Go", here, models, isOfOperation)).toEqual([]);
  });

  it("completes the whole flow", async () => {
    const output = await run("./journey", [], project, here.env);
    expect(JSON.parse(output)).toEqual(journey);
  });
});

/** Parameters and bodies have the name of their operation. */
function isOfOperation(type: string): boolean {
  const named = ({ operation }: Operation) => `${operation.operationId}`.toLowerCase();
  const [, name = ""] = /^(\w+?)(Params|JSONRequestBody)$/.exec(type) ?? [];
  return operations.some((operation) => named(operation) === name.toLowerCase());
}
