import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { describe, test } from "vitest";
import { Clinic } from "../support/clinic.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { type HeldDisk, hasCompiler, heldDisk } from "../support/held-disk.js";
import { seedDatabase } from "../support/owner.js";
import { serve } from "../support/process.js";
import { clinicSeed } from "../support/seed.js";

/** A server process on a new database file, with a clinic. */
async function served(
  atEnd: (end: () => Promise<void>) => void,
  settingsIn: (folder: string) => Readonly<Record<string, string>> = () => ({}),
) {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-disk-"));
  atEnd(() => rm(folder, { recursive: true }));
  const path = join(folder, "queue.db");
  const seed = clinicSeed(clinicWithIds);
  const seeded = await seedDatabase(`file:${path}`, seed);
  const server = await serve(`file:${path}`, atEnd, settingsIn(folder));
  const target = { url: server.url, conformance: null };
  const clinic = new Clinic(target, seed.slug, seeded, "10.0.0.1");
  const create = () => clinic.client().create(clinic.queue());
  const probe = async (path: string) => (await fetch(server.url + path)).status;
  return { path, server, clinic, create, probe };
}

describe.concurrent("a database file", () => {
  test("that another process locks: requests fail with Retry-After, and the service is not ready", async ({
    expect,
    onTestFinished,
  }) => {
    const { path, create, probe } = await served(onTestFinished);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const [refused, ready, alive] = await Promise.all([
      create(),
      probe("/readyz"),
      probe("/healthz"),
    ]);
    expectRefusal(refused, 500, "internal_error");
    expect(refused.header("Retry-After")).toBe("1");
    expect([ready, alive]).toEqual([503, 200]);
    other.exec("COMMIT");
    other.close();
    expectStatus(await create(), 201);
    expect(await probe("/readyz")).toBe(200);
  });

  const faults = {
    deleted: (path: string) => rm(path),
    replaced: async (path: string) => {
      await rename(path, `${path}.away`);
      await writeFile(path, "");
    },
    "separated from its log": (path: string) => rm(`${path}-wal`),
  };

  test.for(Object.entries(faults))(
    "that is %s: the service acknowledges nothing, and the log has the reason",
    async ([, fault], { expect, onTestFinished }) => {
      const { path, server, create, probe } = await served(onTestFinished);
      expectStatus(await create(), 201);
      await fault(path);
      expectRefusal(await create(), 500, "internal_error");
      expect(await probe("/readyz")).toBe(503);
      expect(await probe("/healthz")).toBe(200);
      expect(server.output()).toMatch(/was (deleted|replaced) while it was open/);
    },
  );

  test("that is restored is used again", async ({ expect, onTestFinished }) => {
    const { path, create, probe } = await served(onTestFinished);
    await rename(path, `${path}.away`);
    expectRefusal(await create(), 500, "internal_error");
    await rename(`${path}.away`, path);
    expectStatus(await create(), 201);
    expect(await probe("/readyz")).toBe(200);
  });

  test.skipIf(!hasCompiler)(
    "on a disk that hangs: a write waits, and the service responds to other requests",
    async ({ expect, onTestFinished }) => {
      let disk: HeldDisk | undefined;
      const { create, probe } = await served(onTestFinished, (folder) => {
        disk = heldDisk(folder);
        return disk.settings;
      });
      disk?.hold();
      let isCreated = false;
      const created = create().finally(() => {
        isCreated = true;
      });
      for (let asked = 0; asked < 20; asked++) expect(await probe("/healthz")).toBe(200);
      expect(isCreated).toBe(false);
      disk?.release();
      expectStatus(await created, 201);
    },
  );
});
