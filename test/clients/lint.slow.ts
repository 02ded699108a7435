import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importTool } from "#tools";
import { document, type Json } from "../contract/document.js";
import { temporaryFolder } from "../support/folder.js";
import { start } from "../support/run.js";

const { oas, redocly, spectral } = await importTool("openapi", "tools.js");

const folder = temporaryFolder();

/** The findings of spectral's ruleset for OpenAPI, which includes the schema of OpenAPI 3.1. */
async function spectralFindings(linted: Json): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [oas] });
  const findings: Finding[] = await linter.run(JSON.stringify(linted));
  return findings.map(({ code, message, path }) => `${code}: ${message} (${path.join(".")})`);
}

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
}

/** Its recommended rules, and those that compare each example with its schema. */
const rules = {
  extends: ["recommended"],
  rules: {
    "no-invalid-media-type-examples": "error",
    "no-invalid-parameter-examples": "error",
    "no-invalid-schema-examples": "error",
  },
};

async function redoclyFindings(linted: Json): Promise<string[]> {
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(linted));
  await writeFile(join(folder, "redocly.yaml"), JSON.stringify(rules));
  const lint = ["lint", file, "--format", "json"];
  const env = {
    PATH: process.env.PATH,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const { stdout, stderr } = await start(process.execPath, [redocly, ...lint], { cwd: folder, env })
    .ended;
  if (stdout === "") throw new Error(`redocly did not lint: ${stderr}`);
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

const { schemas, ...others } = document.components as { readonly schemas: Json };
const Queue = { ...(schemas.Queue as Json), examples: [{ id: "short" }] };
const wrongExample = { ...others, schemas: { ...schemas, Queue } };

test.each<[string, (linted: Json) => Promise<string[]>, Json, RegExp]>([
  ["spectral", spectralFindings, { servers: "a URL" }, /^oas3-schema: .*servers/],
  ["redocly", redoclyFindings, { components: wrongExample }, /^no-invalid-schema-examples: /],
])("%s finds no error and no warning, and a violation of its rules", async (...row) => {
  const [, lint, violation, finding] = row;
  expect(await lint(document)).toEqual([]);
  const findings = await lint({ ...document, ...violation });
  expect(findings).toContainEqual(expect.stringMatching(finding));
});
