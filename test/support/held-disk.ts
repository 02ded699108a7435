import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whether this machine can build the library that holds a disk. Otherwise, the tests that need it are skipped, with the reason in their titles. */
export const hasCompiler =
  process.platform === "linux" && spawnSync("gcc", ["--version"]).status === 0;
if (!hasCompiler)
  console.warn("SKIPPED: the tests on a held disk. Install gcc on Linux to run them.");

/** Replaces the function of the C library: waits while the file that `HOLD_DISK` names exists. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
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
`;

/** A disk on which a process waits for `fsync`, from `hold` until `release`. */
export interface HeldDisk {
  /** The environment that the process needs. */
  readonly settings: Readonly<Record<string, string>>;
  hold(): void;
  release(): void;
}

/** Builds the library in a folder. The caller removes the folder. */
export function heldDisk(folder: string): HeldDisk {
  const library = join(folder, "hold-disk.so");
  const flag = join(folder, "hold");
  execFileSync("gcc", ["-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl"], {
    input: source,
  });
  return {
    settings: { LD_PRELOAD: library, HOLD_DISK: flag },
    hold: () => writeFileSync(flag, ""),
    release: () => rmSync(flag),
  };
}
