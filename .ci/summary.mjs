// Sums vitest's own reports of a folder: what failed and why, then `N passed, N failed` as the last line.
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [, , folder] = process.argv;
const reasonLines = 12;
let passed = 0;
let failed = 0;

function tell(what, reason) {
  console.log(`FAILED ${what}`);
  for (const line of reason.split("\n").slice(0, reasonLines)) console.log(`    ${line}`);
}

for (const name of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter(({ status }) => status === "failed");
    const path = relative(process.cwd(), file.name);
    for (const { fullName, failureMessages } of failures) {
      // All that vitest's report says of a timeout.
      const reason = failureMessages
        .join("\n")
        .replace("STACK_TRACE_ERROR", "the test ran out of time");
      tell(`${path}: ${fullName}`, reason);
    }
    // A file that could not even be loaded counts as one failed test.
    if (file.status === "failed" && failures.length === 0) {
      failed += 1;
      tell(path, file.message || "its own output above says why");
    }
  }
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
