import { randomBytes } from "node:crypto";
import { type Config, openStore, readConfig, type Store } from "@queue-api/server";
import { onTestFinished } from "vitest";
import { buildService } from "../../../server/src/service.js";
import { listen } from "../../support/listen.js";

/** The inside of a service on a port until the test ends. Default: on an empty store in memory. */
export async function builtService(
  settings: Partial<Config>,
  given?: Store,
  more: Partial<Parameters<typeof buildService>[1]> = {},
) {
  const store = given ?? (await openStore("memory:", { random: randomBytes }));
  const { server, endStop } = buildService(
    { store, config: { ...readConfig({}), ...settings } },
    { baseUrl: () => "http://queue.example", flushAuditEveryMs: 0, ...more },
  );
  const url = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await endStop();
    if (!given) await store.close();
  });
  return { server, url };
}
