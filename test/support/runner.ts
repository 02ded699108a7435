import { TestRunner } from "vitest";

type Test = Parameters<typeof TestRunner.getTestFn>[0];

/** Fails a test that returns a function: such a function is never called, so the test would check nothing. */
export default class extends TestRunner {
  async runTask(test: Test): Promise<void> {
    const result: unknown = await TestRunner.getTestFn(test)();
    if (typeof result === "function") throw new Error("the test returns a function");
  }
}
