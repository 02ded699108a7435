import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whether this machine can build the library that holds a disk. Otherwise, the tests that need it are skipped, with the reason in their titles. */
export const hasCompiler =
  process.platform === "linux" && spawnSync("gcc", ["--version"]).status === 0;
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
export interface HeldDisk {
  /** The environment that the process needs. */
  readonly settings: Readonly<Record<string, string>>;
  hold(): void;
  release(): void;
  fill(): void;
  free(): void;
}

/** Builds the library in a folder. The caller removes the folder. */
export function heldDisk(folder: string): HeldDisk {
  const library = join(folder, "hold-disk.so");
  const [held, filled] = [join(folder, "hold"), join(folder, "fill")];
  execFileSync("gcc", ["-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl"], {
    input: source,
  });
  return {
    settings: { LD_PRELOAD: library, HOLD_DISK: held, FILL_DISK: filled },
    hold: () => writeFileSync(held, ""),
    release: () => rmSync(held),
    fill: () => writeFileSync(filled, ""),
    free: () => rmSync(filled),
  };
}
