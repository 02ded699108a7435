import { expect, test } from "vitest";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";
import { builtService } from "./support/built-service.js";

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

test.each([
  [true, 500],
  [false, 299],
])(
  "with response checks %s, a status that the route does not declare is sent as %i",
  async (checkAnswers, status) => {
    const intercept = () => async () => ({ status: 299, body: { data: {} } });
    const { url } = await builtService({ checkAnswers }, undefined, { intercept });
    expect((await fetch(`${url}/v1`)).status).toBe(status);
  },
);
