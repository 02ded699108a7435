import { QueueApi } from "@queue-api/sdk";
import { describe, expect, test } from "vitest";
import { UnexpectedResponseError } from "../../sdk/src/errors.js";
import { testService } from "../support/service.js";
import { anEntry, customer1, queueId } from "./support/examples.js";
import { always, FaultServer } from "./support/fault-server.js";
import { World } from "./support/world.js";

/** A service whose stored results are older than the field `predictedWaitMinutes`. */
const service = await testService({
  interpose: (store) => ({
    entries: {
      issue: async (businessId, request) => {
        const issued = await store.entries.issue(businessId, request);
        if (issued.outcome !== "replay") return issued;
        const { data } = JSON.parse(issued.receipt);
        delete data.predictedWaitMinutes;
        return { ...issued, receipt: JSON.stringify({ data }) };
      },
    },
  }),
});

describe("a result that was stored before a field was added", () => {
  test("is replayed unchanged by the service, and accepted by the SDK", async () => {
    const clinic = await service.clinic();
    const api = new QueueApi({ apiKey: clinic.key(), baseUrl: service.url });
    const create = () =>
      api.entries.create(clinic.queue(), customer1, { idempotencyKey: "stored-1" });
    const { predictedWaitMinutes, ...older } = await create();
    expect(predictedWaitMinutes).toBe(0);
    expect(await create()).toEqual(older);
  });

  const { customer, position: _, ...older } = anEntry();
  const replay = { "Idempotent-Replay": "true" };

  test.each([
    ["lacks a field, and a field of the customer", { ...older, customer: { name: null } }, replay],
    ["lacks no field", anEntry(), replay],
  ])("is accepted when it is a replay and %s", async (_, data, headers) => {
    const server = await FaultServer.start(always(201, { data }, headers));
    const world = World.of(server, { maxRetries: 0 });
    expect(await world.run(world.api.entries.create(queueId, customer1))).toEqual(data);
  });

  test.each([
    ["is not a replay and lacks a field", { data: { ...older, customer } }, {}],
    ["is a replay with a field of another type", { data: { ...anEntry(), token: 12 } }, replay],
    ["is a replay without data", {}, replay],
  ])("is refused when it %s", async (_, document, headers) => {
    const server = await FaultServer.start(always(201, document, headers));
    const world = World.of(server, { maxRetries: 0 });
    const error = await world.failure(world.api.entries.create(queueId, customer1));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
  });
});
