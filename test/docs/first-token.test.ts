import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const run = promisify(execFile);
const guide = readFileSync(new URL("../../docs/first-token.md", import.meta.url), "utf8");

/** The first shell line under a heading of the guide. */
function lineUnder(heading: string): string {
  const line = new RegExp(`^## ${heading}\\n.*?^\`\`\`sh\\n(.*?)^\`\`\`$`, "ms").exec(guide)?.[1];
  if (line === undefined) throw new Error(`the guide has no line under ${heading}`);
  return line;
}

const noCurl = spawnSync("curl", ["--version"]).error ? "needs curl" : null;

describe("the guide to the first token", () => {
  const name = "creates one token with its line, which shows that the second time is a replay";
  it.skipIf(noCurl)(noCurl ? `${name} (${noCurl})` : name, async () => {
    const service = await testService();
    const clinic = await service.clinic({ keys: [wideKey] });
    const env = {
      ...process.env,
      QUEUE_API_BASE_URL: service.url,
      QUEUE_API_KEY: clinic.key(),
      QUEUE: clinic.queue(),
    };
    const send = async () =>
      (await run("sh", ["-c", lineUnder("Create the token")], { env })).stdout.split("\r\n\r\n");
    const [head, entry] = await send();
    const [headAgain, entryAgain] = await send();
    expect(head).toMatch(/^HTTP\/1.1 201 /);
    expect(head).not.toMatch(/^idempotent-replay/im);
    expect(headAgain).toMatch(/^idempotent-replay: true$/im);
    expect(entryAgain).toBe(entry);
  });
});
