import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { census, journey, linesOf, stage } from "./journey.js";
import { beside, missing, run } from "./toolchain.js";

const none = missing("Python", { python3: "--version" });

describe.skipIf(none)(`a client by openapi-python-client${none ? ` (${none})` : ""}`, async () => {
  const here = await stage();
  const models = join(here.folder, "client/models");

  it("is generated without a warning about the document, and compiles", async () => {
    const { folder, documentFile } = here;
    await run("python3", ["-m", "venv", "venv"], folder);
    const requirements = beside("python/requirements.txt");
    await run("venv/bin/python", ["-m", "pip", "install", "-q", "-r", requirements], folder);
    const target = ["--output-path", "client", "--meta", "none"];
    const generate = ["generate", "--path", documentFile, "--fail-on-warning", ...target];
    const path = `${join(folder, "venv/bin")}:${process.env.PATH}`; // the path of its formatter
    await run("venv/bin/openapi-python-client", generate, folder, { PATH: path });
    await run("venv/bin/python", ["-m", "compileall", "-q", "client"], folder);
  });

  it("has no type with an invented name", async () => {
    const files = (await readdir(models)).filter((name) => name.endsWith(".py"));
    const texts = await Promise.all(files.map((name) => readFile(join(models, name), "utf8")));
    const types = texts.flatMap((text) =>
      [...text.matchAll(/^class (\w+)/gm)].map(([, name]) => name ?? ""),
    );
    const lines = linesOf(texts.join(""));
    expect(census("Python", here, { files: files.length, lines, types })).toEqual([]);
  });

  it("completes the whole flow", async () => {
    await copyFile(beside("python/journey.py"), join(here.folder, "journey.py"));
    const output = await run("venv/bin/python", ["journey.py"], here.folder, here.env);
    expect(JSON.parse(output)).toEqual(journey);
  });
});
