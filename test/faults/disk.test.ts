import {
  copyFile,
  mkdtemp,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, test } from "vitest";
import { Clinic } from "../support/clinic.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { type HeldDisk, hasCompiler, heldDisk } from "../support/held-disk.js";
import { serve, serveClinic } from "../support/process.js";

/** A server process on a new database file, with a clinic. */
async function served(
  atEnd: (end: () => Promise<void>) => void,
  {
    settingsIn = () => ({}),
    isLinked = false,
  }: {
    readonly settingsIn?: (folder: string) => Readonly<Record<string, string>>;
    /** Whether the URL names a symbolic link to the file. */
    readonly isLinked?: boolean;
  } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-disk-"));
  atEnd(() => rm(folder, { recursive: true }));
  const path = join(folder, "queue.db");
  const link = join(folder, "link.db");
  await symlink(path, link);
  const url = `file:${isLinked ? link : path}`;
  const { server, seeded, ...checked } = await serveClinic(atEnd, clinicWithIds, {
    settings: settingsIn(folder),
    database: { url, remove: () => {} },
  });
  const target = { url: server.url, conformance: null }; // a 500 has no place in the document
  const clinic = new Clinic(target, checked.clinic.slug, seeded, "10.0.0.1");
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
    const other = new DatabaseSync(path);
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

  const faults: Readonly<Record<string, (path: string) => Promise<void>>> = {
    deleted: (path) => rm(path),
    replaced: async (path) => {
      await rename(path, `${path}.away`);
      await writeFile(path, "");
    },
    "separated from its log": (path) => rm(`${path}-wal`),
    "separated from the index of its log, while another program uses it": async (path) => {
      await rm(`${path}-shm`);
      const other = new DatabaseSync(path);
      other.exec("CREATE TABLE other (x)");
      other.close();
    },
    truncated: (path) => truncate(path, 4_096),
    "overwritten by a backup": async (path) => copyFile(`${path}.small`, path),
    "overwritten by something else": (path) => writeFile(path, "x".repeat(10_000_000)),
  };

  test.for(Object.entries(faults))(
    "that is %s: the service acknowledges nothing, and the log has the reason",
    async ([, fault], { expect, onTestFinished }) => {
      // by a symbolic link, which must make no difference
      const { path, server, create, probe } = await served(onTestFinished, { isLinked: true });
      const small = new DatabaseSync(`${path}.small`);
      small.exec("CREATE TABLE t (x)");
      small.close();
      expectStatus(await create(), 201);
      await fault(path);
      for (let n = 0; n < 3; n++) expectRefusal(await create(), 500, "internal_error");
      expect(await probe("/readyz")).toBe(503);
      expect(await probe("/healthz")).toBe(200);
      expect(server.output()).toMatch(/was (deleted|replaced|overwritten) while it was open/);
    },
  );

  test("that another program reads, writes and checkpoints is used as before", async ({
    expect,
    onTestFinished,
  }) => {
    const { path, create } = await served(onTestFinished);
    expectStatus(await create(), 201);
    const [reader, writer] = [new DatabaseSync(path), new DatabaseSync(path)];
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM sqlite_schema").get();
    writer.exec("CREATE TABLE other (x); INSERT INTO other VALUES (randomblob(5000000))");
    writer.exec("PRAGMA wal_checkpoint(PASSIVE)"); // can move a part only
    expectStatus(await create(), 201);
    reader.exec("COMMIT");
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expectStatus(await create(), 201);
    writer.close();
    reader.close();
    expectStatus(await create(), 201);
    expect((await stat(path)).size).toBeGreaterThan(5_000_000);
  });

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
      const { create, probe } = await served(onTestFinished, {
        settingsIn: (folder) => {
          disk = heldDisk(folder);
          return disk.settings;
        },
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

  test.skipIf(!hasCompiler)(
    "on a full disk: requests with a key fail with Retry-After, other pages go on, and it recovers",
    async ({ expect, onTestFinished }) => {
      let disk: HeldDisk | undefined;
      const { clinic, create, probe } = await served(onTestFinished, {
        settingsIn: (folder) => {
          disk = heldDisk(folder);
          return disk.settings;
        },
      });
      disk?.fill();
      for (const refused of [await create(), await clinic.client().me()]) {
        expectRefusal(refused, 500, "internal_error");
        expect(refused.header("Retry-After")).toBe("1");
      }
      const paths = [
        "/readyz",
        "/healthz",
        "/v1",
        "/v1/openapi.json",
        "/docs",
        "/dashboard/sign-in",
      ];
      const statuses = await Promise.all(paths.map(probe));
      expect(statuses).toEqual([503, 200, 200, 200, 200, 200]);
      disk?.free();
      expectStatus(await create(), 201);
      expect(await probe("/readyz")).toBe(200);
    },
  );

  test.skipIf(!hasCompiler)(
    "is not created on a full disk, which the message names",
    async ({ expect, onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), "queue-api-disk-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const disk = heldDisk(folder);
      disk.fill();
      const started = serve(`file:${folder}/new.db`, onTestFinished, disk.settings);
      await expect(started).rejects.toThrow(/The disk of .*new\.db is full\. Free some space/);
    },
  );
});
