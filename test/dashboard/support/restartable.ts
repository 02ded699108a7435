import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { MovableClock, morning } from "../../support/clock.js";
import { serviceAt } from "../../support/service.js";

/** A service in memory that can stop and start again at the same address, on the same store. */
export async function restartableService(onTestFinished: (end: () => Promise<void>) => void) {
  const clock = new MovableClock(morning);
  const store = await openStore("memory:", { clock: clock.read, random: randomBytes });
  const config = {
    ...readConfig({}),
    trustProxy: ["loopback"],
    logLevel: "silent",
    shutdownSeconds: 3_600, // a stop that waits for a request makes the test time out
  };
  const startAt = (port: number) =>
    startServer({ store, config: { ...config, port }, random: randomBytes });
  let server = await startAt(0);
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  return {
    service: await serviceAt(server.url, store, clock),
    stop: () => server.close(),
    start: async () => {
      server = await startAt(server.port);
    },
  };
}
