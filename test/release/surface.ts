import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { openApiDocument } from "@queue-api/contract";
import { type Change, openApiChanges, typeChanges } from "./changes.js";
import { typeReports } from "./type-reports.js";
import { manifestOf, published, repository } from "./workspace.js";

const run = promisify(execFile);

/** The published interfaces, as text by file in the repository. */
export type Surface = ReadonlyMap<string, string>;

const openApiFile = "contract/openapi.json";
const reportFile = (folder: string, name: string) => `${folder}/api/${name}.api.md`;

/** The current OpenAPI document. */
export function currentDocument(): Surface {
  const baseUrl = "https://queue.example";
  const document = openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` });
  return new Map([[openApiFile, `${JSON.stringify(document, null, 2)}\n`]]);
}

/** The interfaces of the built packages: the document and their types. */
export async function currentSurface(): Promise<Surface> {
  const surface = new Map(currentDocument());
  for (const folder of published) {
    for (const [name, report] of await typeReports(folder)) {
      surface.set(reportFile(folder, name), report);
    }
  }
  return surface;
}

/** The interfaces in the files of the repository, as far as they exist. */
export function committedSurface(files: Iterable<string>): Promise<Surface> {
  return surfaceBy(files, (file) => readFile(join(repository, file), "utf8"));
}

/** The interfaces in another revision. */
export function surfaceOf(revision: string, files: Iterable<string>): Promise<Surface> {
  return surfaceBy(files, async (file) => {
    const show = ["show", `${revision}:${file}`];
    const { stdout } = await run("git", show, { cwd: repository, maxBuffer: 1 << 26 });
    return stdout;
  });
}

async function surfaceBy(
  files: Iterable<string>,
  read: (file: string) => Promise<string>,
): Promise<Surface> {
  const surface = new Map<string, string>();
  for (const file of files) {
    const text = await read(file).catch(() => null);
    if (text !== null) surface.set(file, text);
  }
  return surface;
}

/** Returns the differences between two surfaces. A file that did not exist is an addition. */
export async function changesBetween(before: Surface, after: Surface): Promise<Change[]> {
  const changes: Change[] = [];
  for (const folder of published) {
    const { name } = await manifestOf(folder);
    for (const [file, now] of after) {
      const was = before.get(file);
      if (!file.startsWith(`${folder}/`) || was === now) continue;
      if (was === undefined)
        changes.push({ package: name, what: `${file}: is new`, needs: "none" });
      else if (file === openApiFile) changes.push(...openApiChanges(name, was, now));
      else changes.push(...atLeastOne(file, name, typeChanges(name, file, was, now)));
    }
  }
  return changes;
}

/** Adds a change if two reports differ only in order or comments. */
function atLeastOne(file: string, name: string, changes: Change[]): Change[] {
  const reordered: Change = { package: name, what: `${file}: is written anew`, needs: "none" };
  return changes.length > 0 ? changes : [reordered];
}

export async function writeSurface(surface: Surface): Promise<void> {
  for (const [file, text] of surface) {
    await mkdir(dirname(join(repository, file)), { recursive: true });
    await writeFile(join(repository, file), text);
  }
}
