import read from "@changesets/read";
import type { Bump } from "./changes.js";
import { repository } from "./workspace.js";

const sizes: readonly Bump[] = ["none", "patch", "minor", "major"];

/** The largest bump that the pending changesets of a folder announce for each package. */
export async function pendingBumps(folder = repository): Promise<Map<string, Bump>> {
  const bumps = new Map<string, Bump>();
  for (const { releases } of await read(folder)) {
    for (const { name, type } of releases) {
      const known = bumps.get(name) ?? "none";
      if (sizes.indexOf(type) > sizes.indexOf(known)) bumps.set(name, type);
    }
  }
  return bumps;
}
