import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openApiDocument } from "@queue-api/contract";
import { importTool, ToolsMissingError } from "#tools";
import { manifestOf, repository } from "./workspace.js";

/**
 * `npm run api:check` compares what callers build on, the OpenAPI document and the types of the SDK and the test kit,
 * with `contract/openapi.json` and the reports in the folders `api`. `npm run api:update` rewrites these files, so
 * that a change of an interface is seen in a review.
 */
const files = new Map([["contract/openapi.json", document()]]);
try {
  for (const folder of ["sdk", "testkit"]) await addTypeReports(folder);
} catch (error) {
  if (!(error instanceof ToolsMissingError) || process.env.CI) throw error;
  console.warn(`SKIPPED the types: ${error.message}`);
}

const update = process.argv[2] === "update";
for (const [file, text] of files) {
  const path = join(repository, file);
  if ((await readFile(path, "utf8").catch(() => "")) === text) continue;
  console.error(
    update ? file : `${file} is not up to date. Commit what this writes: npm run api:update`,
  );
  if (!update) process.exitCode = 1;
  else await mkdir(dirname(path), { recursive: true }).then(() => writeFile(path, text));
}

function document(): string {
  const baseUrl = "https://queue.example";
  return `${JSON.stringify(openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` }), null, 2)}\n`;
}

/** Adds a report for each entry of a package, named after its path; `index` is the package itself. */
async function addTypeReports(folder: string): Promise<void> {
  const { typeReports } = await importTool("types", "type-reports.js");
  const { exports } = await manifestOf(folder);
  const entryPoints = Object.entries(exports).flatMap(([path, exported]) => {
    const module = typeof exported === "string" ? undefined : exported.import;
    return module ? [{ types: module.types, name: path === "." ? "index" : path.slice(2) }] : [];
  });
  const reports: Map<string, string> = await typeReports(join(repository, folder), entryPoints);
  for (const [name, report] of reports) files.set(`${folder}/api/${name}.api.md`, report);
}
