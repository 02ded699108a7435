import { join } from "node:path";
import { importTool } from "#tools";
import { entryPointsOf, manifestOf, repository } from "./workspace.js";

/** The types that a package shows, a report by the name of each of its entry points. */
export async function typeReports(folder: string): Promise<Map<string, string>> {
  const { typeReports } = await importTool("api", "type-reports.js");
  return typeReports(join(repository, folder), entryPointsOf(await manifestOf(folder)));
}
