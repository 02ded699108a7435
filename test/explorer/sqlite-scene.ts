import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../server/src/open-store.js";
import { wrapStore } from "../../server/src/operations/wrap-store.js";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import { noRandom, start } from "../store/support/adapters.js";
import { createEmptyDatabase } from "../support/database.js";
import { Gate } from "./gate.js";
import type { Scene } from "./stage.js";

/**
 * Two instances on SQLite files. Each operation is one transaction, which SQLite makes atomic, so whole
 * operations are held.
 */
export async function sqliteScene(atEnd: (end: () => Promise<void>) => void): Promise<Scene> {
  const names = ["one", "two"];
  const gates = names.map((name) => new Gate(name, () => new StoreUnavailableError("lost")));
  const open = async (url: string) => openStore(url, { clock: () => start, random: noRandom });
  let ends: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
  };
  atEnd(close);
  const scene = {
    instances: [] as { store: Scene["observer"]; gate: Gate }[],
    observer: null as unknown as Scene["observer"],
    async empty() {
      await close();
      // These tests do not concern the disk, and waiting for it would take most of the time.
      const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
      const folder = await mkdtemp(join(parent, "queue-api-explorer-"));
      ends.push(() => rm(folder, { recursive: true }));
      await createEmptyDatabase(join(folder, "queue.db"));
      const url = `file:${join(folder, "queue.db")}`;
      const stores = [await open(url), await open(url), await open(url)] as const;
      for (const store of stores) ends.push(() => store.close());
      scene.observer = stores[2];
      scene.instances = gates.map((gate, place) => {
        gate.isClosed = false;
        const store = wrapStore(stores[place] ?? stores[0], (name, operation) => {
          const command = { name, touches: "file", isWrite: true };
          return (...given) => gate.hold(command, async () => operation(...given));
        });
        return { store, gate };
      });
    },
  };
  await scene.empty();
  return scene;
}
