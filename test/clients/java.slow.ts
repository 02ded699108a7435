import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { census, journey, linesOf, stage } from "./journey.js";
import { beside, missing, run } from "./toolchain.js";

const none = missing("Java", { java: "-version", javac: "-version", mvn: "--version" });

describe.skipIf(none)(`openapi-generator${none ? ` (${none})` : ""}`, async () => {
  const here = await stage();
  const sources = join(here.folder, "client/src/main/java");
  const models = join(sources, "queueapi/model");
  const generator = ["-jar", "generator.jar"];

  it("finds the document valid, without recommendations", async () => {
    await copyFile(beside("java/pom.xml"), join(here.folder, "pom.xml"));
    const goals = ["dependency:copy@generator", "dependency:copy-dependencies@libraries"];
    await run("mvn", ["-q", "-B", ...goals], here.folder);
    const validate = [...generator, "validate", "--recommend", "-i", here.documentFile];
    expect(await run("java", validate, here.folder)).toContain("No validation issues detected.");
  });

  it("generates a Java client that compiles", async () => {
    const packages = "invokerPackage=queueapi,apiPackage=queueapi.api,modelPackage=queueapi.model";
    const language = ["-g", "java", "--library", "native", "--additional-properties", packages];
    const generate = ["generate", "-i", here.documentFile, "-o", "client", ...language];
    await run("java", [...generator, ...generate], here.folder);
    const files = (await readdir(sources, { recursive: true }))
      .filter((name) => name.endsWith(".java"))
      .map((name) => join(sources, name));
    const compile = ["-nowarn", "-d", "classes", "-cp", "lib/*", ...files];
    await run("javac", [...compile, beside("java/Journey.java")], here.folder);
  });

  it("invents no type name", async () => {
    const files = (await readdir(models)).filter((name) => name !== "AbstractOpenApiSchema.java");
    const texts = await Promise.all(files.map((name) => readFile(join(models, name), "utf8")));
    const types = files.map((name) => name.replace(".java", ""));
    const lines = linesOf(texts.join(""));
    expect(census("Java", here, { files: files.length, lines, types })).toEqual([]);
  });

  it("generates a Java client that completes the whole flow", async () => {
    const output = await run("java", ["-cp", "classes:lib/*", "Journey"], here.folder, here.env);
    expect(JSON.parse(output)).toEqual(journey);
  });
});
