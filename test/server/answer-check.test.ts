import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { openStore, readConfig } from "@queue-api/server";
import { expect, onTestFinished, test } from "vitest";
import { buildService } from "../../server/src/service.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";

const wrong = { now: false };
const interpose: Parameters<typeof testService>[0] = {
  interpose: (store) => ({
    services: {
      list: async (businessId) => {
        const services = await store.services.list(businessId);
        return wrong.now ? services.map((service) => ({ ...service, price: 1.5 })) : services;
      },
    },
  }),
};
const checking = await testService(interpose);
const trusting = await testService({ ...interpose, settings: { checkAnswers: false } });

test("with response checks, a response that violates the contract is not sent", async () => {
  const clinic = await checking.clinic();
  expectStatus(await clinic.client().services(), 200);
  wrong.now = true;
  const answer = await clinic.client().services();
  wrong.now = false;
  expectRefusal(answer, 500, "internal_error");
});

test("the suite detects such a response when it is sent", async () => {
  const clinic = await trusting.clinic();
  wrong.now = true;
  const answer = clinic.client().services();
  await expect(answer).rejects.toThrow(/price must be integer/);
  wrong.now = false;
});

test("with response checks, a status that the route does not declare is not sent", async () => {
  const statuses = new Map([
    [true, 500],
    [false, 299],
  ]);
  for (const [checkAnswers, status] of statuses) {
    const store = await openStore("memory:", { random: randomBytes });
    const { server, endStop } = buildService(
      { store, config: { ...readConfig({}), checkAnswers } },
      {
        baseUrl: () => "http://queue.example",
        intercept: () => async () => ({ status: 299, body: { data: {} } }),
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.close();
      server.closeAllConnections();
      await endStop();
      await store.close();
    });
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    expect(answer.status).toBe(status);
  }
});
