import { MovableClock, morning } from "../../support/clock.js";
import { freshDatabase, serviceAt, startedServer } from "../../support/service.js";

/** A service that can stop and start again at the same address, on the same database. */
export async function restartableService() {
  const clock = new MovableClock(morning);
  const database = await freshDatabase();
  const startAt = (port: number) =>
    startedServer(database, {
      clock: clock.read,
      // A stop that waits for a request makes the test time out.
      settings: { port, trustProxy: ["loopback"], logLevel: "silent", shutdownSeconds: 3_600 },
    });
  let { server, store } = await startAt(0);
  return {
    service: await serviceAt(server.url, store, clock),
    stop: () => server.close(),
    start: async () => {
      ({ server } = await startAt(server.port));
    },
  };
}
