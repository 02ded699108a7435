/** Whether all of each matrix is tested, or one representative (`TEST_MATRIX=one`), as `.ci/run` does. */
export const wholeMatrix = process.env.TEST_MATRIX !== "one";

/** The rows of a matrix of versions or tools to test: all, or only the last. */
export function matrix<Item>(all: readonly Item[]): readonly Item[] {
  return wholeMatrix ? all : all.slice(-1);
}
