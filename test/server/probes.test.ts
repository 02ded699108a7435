import { expect, test } from "vitest";
import { expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";

const broken = { now: false };
const service = await testService({
  interpose: (store) => ({
    ping: async () => {
      if (broken.now) throw new Error("disk I/O error at /var/lib/queue-api.db");
      return store.ping();
    },
  }),
});

test.each(["/healthz", "/readyz"])("%s needs no key and returns 200", async (path) => {
  const answer = await service.stranger().get(path);
  expectStatus(answer, 200);
  expect(answer.json).toEqual({ status: expect.any(String) });
});

test("while the database does not respond, the service is alive and not ready", async () => {
  broken.now = true;
  const alive = await service.stranger().get("/healthz");
  const ready = await fetch(`${service.url}/readyz`);
  broken.now = false;
  expectStatus(alive, 200);
  expect(ready.status).toBe(503);
  expect(await ready.text()).not.toMatch(/disk|\/var/);
  expectStatus(await service.stranger().get("/readyz"), 200);
});
