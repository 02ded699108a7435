import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Bump, type Change, typeChanges, unannounced } from "./changes.js";
import { pendingBumps } from "./pending-bumps.js";
import { changesBetween, committedSurface, type Surface } from "./surface.js";

const openApi = "contract/openapi.json";
const sdkTypes = "sdk/api/index.api.md";
let committed: Surface;

beforeAll(async () => {
  committed = await committedSurface([openApi, sdkTypes]);
  expect([...committed.keys()]).toEqual([openApi, sdkTypes]);
});

/** Returns the differences that a change to one committed file makes. */
async function changed(file: string, change: (text: string) => string): Promise<Change[]> {
  const before = committed.get(file) ?? "";
  const after = change(before);
  expect(after).not.toBe(before);
  return changesBetween(committed, new Map([...committed, [file, after]]));
}

/** Returns the changes that a changeset with this bump for a package does not announce. */
function left(changes: readonly Change[], name: string, bump: Bump): string[] {
  return unannounced(changes, new Map([[name, bump]])).map(({ what }) => what);
}

const contract = "@queue-api/contract";
const sdk = "@queue-api/sdk";

describe("the OpenAPI document", () => {
  const edited = (change: (schemas: Record<string, Schema>) => void) =>
    changed(openApi, (text) => {
      const document = JSON.parse(text);
      change(document.components.schemas);
      return JSON.stringify(document);
    });

  interface Schema {
    properties: Record<string, object>;
    required: string[];
    enum?: string[];
  }

  test("may lose a field of a response only in a major version", async () => {
    const changes = await edited(({ Queue }) => {
      delete Queue?.properties.isActive;
      if (Queue) Queue.required = Queue.required.filter((name) => name !== "isActive");
    });
    const lost = "GET /v1/queues 200.data[].isActive: is on one side only";
    for (const bump of ["none", "patch", "minor"] as const) {
      expect(left(changes, contract, bump)).toEqual([lost]);
    }
    expect(left(changes, sdk, "major")).toEqual([lost]);
    expect(left(changes, contract, "major")).toEqual([]);
  });

  test("may gain a value of a response only in a major version", async () => {
    const changes = await edited(({ AppointmentStatus }) => {
      AppointmentStatus?.enum?.push("LATE");
    });
    expect(left(changes, contract, "minor")).not.toEqual([]);
    expect(left(changes, contract, "major")).toEqual([]);
  });

  test("may gain a committed field without a changeset", async () => {
    const changes = await edited(({ Queue }) => {
      if (Queue) Queue.properties.colour = {};
    });
    expect(changes).toEqual([
      { package: contract, what: "openapi.json: something was added or reworded", needs: "none" },
    ]);
    expect(left(changes, contract, "none")).toEqual([]);
  });
});

describe("the published types", () => {
  test("may lose an export only in a major version", async () => {
    const changes = await changed(sdkTypes, (text) =>
      text.replace("export class AbortError", "class AbortError"),
    );
    const lost = `${sdkTypes}: AbortError is not exported any more`;
    expect(left(changes, sdk, "minor")).toEqual([lost]);
    expect(left(changes, sdk, "major")).toEqual([]);
  });

  test("may lose or change a member with any changeset", async () => {
    const changes = await changed(sdkTypes, (text) =>
      text.replace(/^ +durationMinutes: .*\n/m, ""),
    );
    expect(left(changes, sdk, "none")).toEqual([`${sdkTypes}: Appointment differs`]);
    expect(left(changes, sdk, "patch")).toEqual([]);
  });

  test("may gain committed members and exports without a changeset", async () => {
    const changes = await changed(sdkTypes, (text) =>
      text
        .replace(
          "export interface Appointment {\n",
          "export interface Appointment {\n    room?: string;\n",
        )
        .replace("```ts\n", "```ts\n\nexport const greeting: string;\n"),
    );
    expect(changes.map(({ what }) => what).sort()).toEqual([
      `${sdkTypes}: Appointment has more`,
      `${sdkTypes}: greeting is new`,
    ]);
    expect(left(changes, sdk, "none")).toEqual([]);
  });

  test("do not differ if only their order differs", async () => {
    const report = "```ts\nexport function b(): void;\n\nexport function a(): void;\n\n```\n";
    const other = "```ts\nexport function a(): void;\n\nexport function b(): void;\n\n```\n";
    expect(typeChanges(sdk, sdkTypes, report, other)).toEqual([]);
  });

  test("that are exported by a list count as exported", () => {
    const report = "```ts\ndeclare const one: number;\nexport { one }\n```\n";
    const without = "```ts\ndeclare const one: number;\n```\n";
    expect(typeChanges(sdk, sdkTypes, report, without)).toEqual([
      { package: sdk, what: `${sdkTypes}: one is not exported any more`, needs: "major" },
    ]);
  });
});

test("the largest bump of a package's changesets counts", async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-changesets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, ".changeset"));
  const changeset = (name: string, head: string) =>
    writeFile(join(folder, ".changeset", `${name}.md`), `---\n${head}\n---\n\nWhat changed.\n`);
  await changeset("one", `"${sdk}": major\n"${contract}": patch`);
  await changeset("two", `"${sdk}": minor`);
  expect(await pendingBumps(folder)).toEqual(
    new Map([
      [sdk, "major"],
      [contract, "patch"],
    ]),
  );
});
