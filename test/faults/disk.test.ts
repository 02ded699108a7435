import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, test } from "vitest";
import { Clinic } from "../support/clinic.js";
import { commandEnvironment, commandPath } from "../support/command.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { temporaryFolder } from "../support/folder.js";
import { serve, serveClinic } from "../support/process.js";
import { start } from "../support/run.js";

/**
 * Whether this machine can build the library that holds a disk. Otherwise, the tests that need it are skipped, with the
 * reason in their titles.
 */
const hasCompiler = process.platform === "linux" && spawnSync("gcc", ["--version"]).status === 0;
if (!hasCompiler)
  console.warn("SKIPPED: the tests on a held disk. Install gcc on Linux to run them.");

/**
 * Replaces functions of the C library: waits while the file that `HOLD_DISK` names exists, and has no space while the
 * file that `FILL_DISK` names exists.
 */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static void hold(void) {
  const char *path = getenv("HOLD_DISK");
  while (path && access(path, F_OK) == 0) usleep(1000);
}
int fsync(int file) {
  hold();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
int fdatasync(int file) {
  hold();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  const char *path = getenv("FILL_DISK");
  if (path && access(path, F_OK) == 0) {
    errno = ENOSPC;
    return -1;
  }
  return ((ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(file, bytes, count, at);
}
`;

/** A disk on which a process waits for `fsync` from `hold` until `release`, and that is full from `fill` until `free`. */
function faultyDisk(folder: string) {
  const library = join(folder, "hold-disk.so");
  const [held, filled] = [join(folder, "hold"), join(folder, "fill")];
  const build = ["-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl"];
  execFileSync("gcc", build, { input: source });
  return {
    /** The environment that the process needs. */
    settings: { LD_PRELOAD: library, HOLD_DISK: held, FILL_DISK: filled },
    hold: () => writeFileSync(held, ""),
    release: () => rmSync(held),
    fill: () => writeFileSync(filled, ""),
    free: () => rmSync(filled),
  };
}

/** A server process with a clinic, on a database file in this folder. */
async function served(
  atEnd: (end: () => Promise<void>) => void,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
) {
  const path = join(folder, "queue.db");
  const how = { settings, databaseUrl: `file:${path}` };
  const { server, seeded, ...checked } = await serveClinic(atEnd, clinicWithIds, how);
  const target = { url: server.url, conformance: null }; // a 500 has no place in the document
  const clinic = new Clinic(target, checked.clinic.slug, seeded, "10.0.0.1");
  const create = () => clinic.client().create(clinic.queue());
  const probe = async (path: string) => (await fetch(server.url + path)).status;
  return { path, server, clinic, create, probe };
}

/** The same on a disk that can hang and be full. */
async function servedOnFaultyDisk(atEnd: (end: () => Promise<void>) => void) {
  const folder = temporaryFolder();
  const disk = faultyDisk(folder);
  return { disk, ...(await served(atEnd, folder, disk.settings)) };
}

describe.concurrent("a database file", () => {
  test("that another process locks: requests fail with Retry-After, the service is not ready, and the log has the reason", async ({
    expect,
    onTestFinished,
  }) => {
    const { path, server, create, probe } = await served(onTestFinished, temporaryFolder());
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
    expect(server.output()).toMatch(/another process holds the lock of the database/);
    other.exec("COMMIT");
    other.close();
    expectStatus(await create(), 201);
    expect(await probe("/readyz")).toBe(200);
  });
});

describe.skipIf(!hasCompiler).concurrent("a database file", () => {
  test("on a disk that hangs: a write waits, and the service responds to other requests", async ({
    expect,
    onTestFinished,
  }) => {
    const { create, probe, disk } = await servedOnFaultyDisk(onTestFinished);
    disk.hold();
    let isCreated = false;
    const created = create().finally(() => {
      isCreated = true;
    });
    for (let asked = 0; asked < 20; asked++) expect(await probe("/healthz")).toBe(200);
    expect(isCreated).toBe(false);
    disk.release();
    expectStatus(await created, 201);
  });

  test("on a full disk: requests with a key fail with Retry-After, other pages go on, and it recovers", async ({
    expect,
    onTestFinished,
  }) => {
    const { clinic, create, probe, disk } = await servedOnFaultyDisk(onTestFinished);
    disk.fill();
    for (const refused of [await create(), await clinic.client().me()]) {
      expectRefusal(refused, 500, "internal_error");
      expect(refused.header("Retry-After")).toBe("1");
    }
    const paths = "/readyz /healthz /v1 /v1/openapi.json /docs /dashboard/sign-in".split(" ");
    expect(await Promise.all(paths.map(probe))).toEqual([503, 200, 200, 200, 200, 200]);
    disk.free();
    expectStatus(await create(), 201);
    expect(await probe("/readyz")).toBe(200);
  });

  test("on a full disk: after a crash, commands that read go on beside another program, and the message of others names it", async ({
    expect,
    onTestFinished,
  }) => {
    const { path, server, clinic, create, disk } = await servedOnFaultyDisk(onTestFinished);
    expectStatus(await create(), 201);
    const other = new DatabaseSync(path); // so that nobody needs space for a new index of the log
    other.exec("SELECT count(*) FROM sqlite_schema");
    server.signal("SIGKILL"); // what it wrote is still in the log
    await server.exited;
    disk.fill();
    const env = { ...commandEnvironment, ...disk.settings, DATABASE_URL: `file:${path}` };
    const run = (line: string) =>
      start(process.execPath, [commandPath, ...line.split(" ")], { env }).ended;
    expect(await run("business list")).toMatchObject({ code: 0, stderr: "" });
    const stderr = "queue-api: the disk of the database is full\n";
    const failed = await run(`business set ${clinic.slug} --access off`);
    expect(failed).toEqual({ code: 1, stdout: "", stderr });
    other.close();
  });

  test("is not created on a full disk, which the message names", async ({
    expect,
    onTestFinished,
  }) => {
    const folder = temporaryFolder();
    const disk = faultyDisk(folder);
    disk.fill();
    const started = serve(`file:${folder}/new.db`, onTestFinished, disk.settings);
    await expect(started).rejects.toThrow(/The disk of .*new\.db is full\. Free some space/);
  });
});
