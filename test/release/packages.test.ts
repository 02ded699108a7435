import { describe, expect, test } from "vitest";
import { version } from "../../sdk/src/version.js";
import { packageFaults } from "./package-faults.js";
import { publishDryRun } from "./publish-dry-run.js";
import { type Manifest, manifestOf, published } from "./workspace.js";

test.each(published)(
  "%s is published without a warning, a missing file or an unexpected file",
  async (folder) => {
    const { files, warnings } = await publishDryRun(folder, { ignoreScripts: true });
    expect(warnings).toEqual([]);
    expect(packageFaults(await manifestOf(folder), files)).toEqual([]);
  },
  60_000,
);

test("all packages have the same version", async () => {
  const versions = await Promise.all(
    published.map(async (name) => (await manifestOf(name)).version),
  );
  expect(new Set(versions).size).toBe(1);
});

test("the SDK has the version of its package", async () => {
  expect(version).toBe((await manifestOf("sdk")).version);
});

describe("the check of a package", () => {
  const manifest: Manifest = {
    name: "@queue-api/sdk",
    version: "1.2.0",
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    publishConfig: { access: "public", provenance: true },
  };
  const whole = ["LICENSE", "README.md", "package.json", "dist/index.d.ts", "dist/index.js"];

  test("accepts a complete package", () => {
    expect(packageFaults(manifest, whole)).toEqual([]);
  });

  test.each([
    ["a file that its exports name", "dist/index.d.ts"],
    ["a licence", "LICENSE"],
  ])("refuses a package without %s", (_what, path) => {
    const files = whole.filter((file) => file !== path);
    expect(packageFaults(manifest, files)).toEqual([`${path} is missing`]);
  });

  test.each([
    "dist/client.test.js",
    "dist/.tsbuildinfo",
    ".env",
    "src/.secret",
    "data/queue-api.db",
    "scripts/bundle.js",
  ])("refuses a package that contains %s", (path) => {
    expect(packageFaults(manifest, [...whole, path])).toEqual([`${path} does not belong there`]);
  });

  test("refuses a package without public access or provenance", () => {
    const { publishConfig: _, ...rest } = manifest;
    expect(packageFaults(rest, whole)).toHaveLength(1);
    const without = { ...manifest, publishConfig: { access: "public" } };
    expect(packageFaults(without, whole)).toHaveLength(1);
  });

  test("refuses a package that depends on another version of a sibling", () => {
    const dependencies = { "@queue-api/contract": "1.1.0", zod: "4.0.0" };
    expect(packageFaults({ ...manifest, dependencies }, whole)).toEqual([
      "@queue-api/contract is wanted as 1.1.0, and must be 1.2.0",
    ]);
  });
});
