import { expect, test, vi } from "vitest";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";
import { builtService } from "./support/built-service.js";

type Intercept = NonNullable<NonNullable<Parameters<typeof builtService>[2]>["intercept"]>;

/** A service whose store returns a price that the contract does not allow, from the second list on. */
async function lyingService(checkAnswers: boolean) {
  const service = await testService({ settings: { checkAnswers } });
  const client = (await service.clinic()).client();
  expectStatus(await client.services(), 200);
  const { list } = service.store.services;
  vi.spyOn(service.store.services, "list").mockImplementation(async (businessId) =>
    (await list(businessId)).map((one) => ({ ...one, price: 1.5 })),
  );
  return client;
}

test("with response checks, a response that violates the contract is not sent", async () => {
  const client = await lyingService(true);
  expectRefusal(await client.services(), 500, "internal_error");
});

test("the suite detects such a response when it is sent", async () => {
  const client = await lyingService(false);
  await expect(client.services()).rejects.toThrow(/price must be integer/);
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

test.each([
  [true, 500],
  [false, 200],
])(
  "with response checks %s, a field that the route does not declare is sent as %i",
  async (checkAnswers, status) => {
    const intercept: Intercept = (_, endpoint) => async (input) => {
      const { body, ...response } = await endpoint(input);
      const { data } = body as { data: object };
      return { ...response, body: { data: { ...data, secret: 1 } } };
    };
    const { url } = await builtService({ checkAnswers }, undefined, { intercept });
    expect((await fetch(`${url}/v1`)).status).toBe(status);
  },
);
