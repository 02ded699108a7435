import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { builtService } from "./support/built-service.js";

type Intercept = NonNullable<NonNullable<Parameters<typeof builtService>[2]>["intercept"]>;

const answering =
  (fields: object): Intercept =>
  (_, endpoint) =>
  async (input) => {
    const { body, ...response } = await endpoint(input);
    return { ...response, body: { data: { ...(body as { data: object }).data, ...fields } } };
  };

test.each<[string, Intercept, number]>([
  ["a value that its field does not allow", answering({ version: 1.5 }), 200],
  ["a field that the route does not declare", answering({ secret: 1 }), 200],
  [
    "a status that the route does not declare",
    () => async () => ({ status: 299, body: { data: {} } }),
    299,
  ],
])("%s is sent only without response checks", async (_, intercept, sent) => {
  for (const [checkAnswers, status] of [
    [true, 500],
    [false, sent],
  ] as const) {
    const { url } = await builtService({ checkAnswers }, undefined, { intercept });
    expect((await fetch(`${url}/v1`)).status, `checks: ${checkAnswers}`).toBe(status);
  }
});

test("the suite detects a response that violates the contract", async () => {
  const service = await testService({
    settings: { checkAnswers: false },
    interpose: ({ services }) => ({
      services: {
        list: async (id) => (await services.list(id)).map((one) => ({ ...one, price: 1.5 })),
      },
    }),
  });
  const clinic = await service.clinic();
  await expect(clinic.client().services()).rejects.toThrow(/price must be integer/);
});
