import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files with the longest duration, longest first. */
const long = [
  "mongo/several-instances.test.ts",
  "dashboard/pages.looks.ts",
  "dashboard/board-browser.test.ts",
  "dashboard/board-connection-browser.test.ts",
  "dashboard/pages-browser.test.ts",
  "docs/browser.test.ts",
  "cli/demo.test.ts",
  "sdk/lost-answers.test.ts",
  "cli/serve.test.ts",
  "sdk/readme.test.ts",
  "observability/tracing.test.ts",
  "api/fuzz.test.ts",
  "docs/samples.test.ts",
  "cli/simulate.test.ts",
  "packaging/package.test.ts",
  "examples/kiosk.test.ts",
  "sdk/leak.test.ts",
  "cli/processes.test.ts",
];

/**
 * Starts the long files first, so that the run does not end with one long file. Runs one project after another,
 * because a worker that changes between projects loads all modules again.
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
