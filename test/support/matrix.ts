/** A matrix of versions or runtimes: all of it, or only the last with `TEST_MATRIX=one`, as `.ci/run` has it. */
export function matrix<Item>(all: readonly Item[]): readonly Item[] {
  return process.env.TEST_MATRIX === "one" ? all.slice(-1) : all;
}
