import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { expectStatus } from "../support/expect.js";
import { gate } from "../support/gate.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { testService } from "../support/service.js";

const committed = gate();

/** A service that pauses each creation between its commit and its response while the gate is closed. */
const service = await testService({
  interpose: (store) => ({
    entries: {
      issue: async (businessId, request) => {
        const outcome = await store.entries.issue(businessId, request);
        await committed.pass();
        return outcome;
      },
    },
  }),
});

describe("after a connection is cut between the commit and the response,", () => {
  test("the same key replays the lost response, byte for byte", async ({ skip }) => {
    if (!service.store) return skip("this server runs elsewhere: it cannot be held up");
    const clinic = await service.clinic();
    const body = JSON.stringify(customer1);
    committed.close();
    const connection = await RawConnection.open(service);
    connection.send(
      rawRequest(
        `POST /v1/queues/${clinic.queue()}/entries HTTP/1.1`,
        [
          "Host: queue.example",
          `Authorization: Bearer ${clinic.key()}`,
          "Idempotency-Key: the-same-key",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
        ],
        body,
      ),
    );
    await committed.reached(1);
    connection.cut();
    committed.open();

    const replays = [];
    for (let i = 0; i < 2; i++) {
      replays.push(await clinic.client().create(clinic.queue(), customer1, "the-same-key"));
    }
    for (const replay of replays) {
      expectStatus(replay, 201);
      expect(replay.header("Idempotent-Replay")).toBe("true");
    }
    expect(new Set(replays.map(({ text }) => text)).size).toBe(1);
    const entries = (await clinic.client().entries(clinic.queue())).data;
    expect(entries.map(({ id }) => id)).toEqual([replays[0]?.data.id]);
  });
});
