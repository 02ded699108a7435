import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, or wait for long, the longest first. */
const long = [
  "mongo/several-instances.test.ts",
  "dashboard/board-browser.test.ts",
  "store/model.test.ts",
  "dashboard/pages-browser.test.ts",
  "store/board.test.ts",
  "mongo/crash.test.ts",
  "examples/kiosk.test.ts",
  "cli/demo.test.ts",
  "cli/simulate.test.ts",
  "api/fuzz.test.ts",
  "cli/processes.test.ts",
  "mongo/takeover.test.ts",
  "observability/tracing.test.ts",
];

/**
 * Begins with the long files, so that none of them is still under way when all others are done. One project
 * comes after the other: a worker that changes between them has to load everything anew.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...new Set(files.map(({ project }) => project.name))];
    const rank = ({ project, moduleId }: TestSpecification) => {
      const at = long.findIndex((path) => moduleId.endsWith(`/${path}`));
      return projects.indexOf(project.name) * 1_000 + (at === -1 ? long.length : at);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
