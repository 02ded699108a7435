import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installTools } from "#tools";
import { document } from "../contract/document.js";
import { temporaryFolder } from "../support/folder.js";
import { completed } from "../support/run.js";

/** The recommended rules, and those that compare each example with its schema. */
const rules = {
  extends: ["recommended"],
  rules: {
    "no-invalid-media-type-examples": "error",
    "no-invalid-parameter-examples": "error",
    "no-invalid-schema-examples": "error",
  },
};

test("redocly finds no error and no warning in the OpenAPI document", async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
  await writeFile(join(folder, "redocly.yaml"), JSON.stringify(rules));
  const redocly = join(installTools("openapi"), "node_modules/.bin/redocly");
  const off = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const env = { PATH: process.env.PATH, ...off };
  const lint = ["lint", "openapi.json", "--format", "json"];
  const { stdout } = await completed(redocly, lint, { cwd: folder, env });
  expect(JSON.parse(stdout).problems).toEqual([]);
});
