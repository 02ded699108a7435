import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Runs `end` after the test that is running; outside of tests, after all tests of the file or group. */
export function atEnd(end: () => Promise<void>): void {
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
}
