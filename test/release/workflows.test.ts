import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repository } from "./workspace.js";

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps?: readonly Step[] }>>;
}

interface Step {
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const folder = join(repository, ".github/workflows");
const names = await readdir(folder);
const textOf = (name: string) => readFile(join(folder, name), "utf8");
const workflow = async (name: string): Promise<Workflow> => parse(await textOf(name));

describe.each(names)("the workflow %s", (name) => {
  test("runs only existing scripts", async () => {
    const { scripts } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    const used = [...(await textOf(name)).matchAll(/npm run ([\w:-]+)/g)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, script = ""] of used) expect(scripts).toHaveProperty([script]);
  });

  test("pins each action to a commit, with its version in a comment", async () => {
    const used = (await textOf(name)).split("\n").filter((line) => /\buses:/.test(line));
    const others = used.filter((line) => !line.trim().startsWith("uses: ./"));
    expect(others.length + (name === "release.yml" ? 1 : 0)).toBe(used.length);
    for (const line of others) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test("has only read permissions outside its jobs", async () => {
    expect(
      Object.values((await workflow(name)).permissions).filter((may) => may !== "read"),
    ).toEqual([]);
  });
});

test("every change is tested on each supported version of Node, with MongoDB, by every suite", async () => {
  const { test: job } = (await workflow("ci.yml")).jobs;
  expect(job).toMatchObject({
    strategy: { matrix: { node: [20, 22, 24] } },
    services: { mongo: { image: "mongo:8" } },
  });
  const commands = (job?.steps ?? []).flatMap(({ run }) => run ?? []);
  expect(commands).toEqual(
    expect.arrayContaining([
      ...["npm ci", "npm run check", "npm test", "npm run test:programs", "npm run test:browsers"],
      ...["npm run test:mongo", "npm run test:mongo-faults", "npm run test:packed"],
      "npm run test:clients",
    ]),
  );
});

test("only the release job can sign, and only after the checks", async () => {
  const { jobs } = await workflow("release.yml");
  expect(jobs.release).toHaveProperty("permissions", { contents: "read", "id-token": "write" });
  expect(jobs.release).toMatchObject({ needs: "verify" });
  expect(jobs.verify).toMatchObject({ uses: "./.github/workflows/ci.yml" });
});

test("the release is published without a secret, with a Node whose npm signs in by OIDC", async () => {
  expect(await textOf("release.yml")).not.toMatch(/secrets\.|TOKEN/);
  const { steps = [] } = (await workflow("release.yml")).jobs.release ?? {};
  const versions = steps.flatMap((step) => step.with?.["node-version"] ?? []);
  expect(versions).toEqual([24]);
});
