import { describe, expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { customer1 } from "../support/client.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { everyScope } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock } = service;

/** Expects a replay: the body and the Location of the first response, byte for byte. */
function expectReplay(replay: Answer, first: Answer): void {
  expectStatus(replay, first.status);
  expect(replay.text).toBe(first.text);
  expect(replay.header("Location")).toBe(first.header("Location"));
  expect(replay.header("Idempotent-Replay")).toBe("true");
  expect(replay.requestId).not.toBe(first.requestId);
}

describe("the same key with the same body", () => {
  test("returns the original result and creates no second entry", async () => {
    const clinic = await service.clinic();
    const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
    const first = await create();
    expectStatus(first, 201);
    expect(first.headers.has("Idempotent-Replay")).toBe(false);
    for (let i = 0; i < 3; i++) expectReplay(await create(), first);
    expect((await clinic.client().entries(clinic.queue())).data).toHaveLength(1);
  });

  test("a replay counts as a request and as a write", async () => {
    const clinic = await service.clinic();
    const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
    expect((await create()).number("RateLimit-Remaining")).toBe(29);
    expect((await create()).number("RateLimit-Remaining")).toBe(28);
  });

  test("is the same when only field order and whitespace differ", async () => {
    const clinic = await service.clinic();
    const first = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    const rewritten = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { "Idempotency-Key": "the-same-key", "Content-Type": "application/json" },
      body: ` { "phone" : "${customer1.phone}",\n "name":"Customer\\u00201" } `,
    });
    expectReplay(rewritten, first);
  });

  test("replays to another API key of the same business", async () => {
    const clinic = await service.clinic({
      keys: [
        { ref: "main", name: "Old", scopes: everyScope },
        { ref: "rotated", name: "New", scopes: everyScope },
      ],
    });
    const first = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    const again = await clinic.client("rotated").create(clinic.queue(), customer1, "the-same-key");
    expectReplay(again, first);
  });
});

test.each([
  ["another name", { ...customer1, name: "Customer 2" }],
  ["another phone", { ...customer1, phone: "919800000002" }],
  ["the same phone written differently", { ...customer1, phone: "+919800000001" }],
])("the same key with a different request is refused: %s", async (_, body) => {
  const clinic = await service.clinic();
  const first = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
  const other = await clinic.client().create(clinic.queue(), body, "the-same-key");
  expectRefusal(other, 422, "idempotency_key_reuse");
  const again = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
  expectReplay(again, first);
});

test.each([
  ["a wrong field", {}, 400],
  ["an unknown queue", customer1, 404],
  ["an unknown service", { ...customer1, serviceId: "a".repeat(24) }, 400],
  ["plan_limit_reached", customer1, 403],
  ["queue_paused", customer1, 409, "pause"],
  ["queue_unavailable", customer1, 409, "close"],
] as const)("a failed attempt releases the key: %s", async (_, body, status, flag?) => {
  const clinic = await service.clinic({ dailyTokenLimit: status === 403 ? 0 : null });
  const queue = status === 404 ? "a".repeat(24) : clinic.queue();
  if (flag) await service.owner.setQueue(queue, flag);
  expectStatus(await clinic.client().create(queue, body, "the-same-key"), status);
  await service.owner.setDailyLimit(clinic.slug, null);
  await service.owner.setQueue(clinic.queue(), "resume");
  await service.owner.setQueue(clinic.queue(), "open");
  const created = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
  expectStatus(created, 201);
  expect(created.headers.has("Idempotent-Replay")).toBe(false);
});

test("a failed attempt releases the key for another request too", async () => {
  const clinic = await service.clinic();
  await service.owner.setQueue(clinic.queue(), "pause");
  expectStatus(await clinic.client().create(clinic.queue(), customer1, "the-same-key"), 409);
  await service.owner.setQueue(clinic.queue(), "resume");
  const other = { ...customer1, name: "Customer 2" };
  expectStatus(await clinic.client().create(clinic.queue(), other, "the-same-key"), 201);
});

test("results are stored for 24 hours, to the millisecond", async () => {
  const clinic = await service.clinic();
  const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
  const first = await create();
  clock.advance({ hours: 24, milliseconds: -1 });
  expectReplay(await create(), first);
  clock.advance({ milliseconds: 1 });
  const body = { ...customer1, name: "Customer 2" };
  const second = await clinic.client().create(clinic.queue(), body, "the-same-key");
  expectStatus(second, 201);
  expect(second.headers.has("Idempotent-Replay")).toBe(false);
  expect(second.data.id).not.toBe(first.data.id);
});

describe("the header", () => {
  test.each(["a".repeat(8), "a".repeat(64), "A-z_0-9-", "00000000"])(
    "%s is accepted",
    async (key) => {
      const clinic = await service.clinic();
      expectStatus(await clinic.client().create(clinic.queue(), customer1, key), 201);
    },
  );

  test.each([
    ...["a".repeat(7), "a".repeat(65), "with space", "dot.dot.dot", "a,b,c,d,e", "ключ-ключ", ""],
  ])("%s is refused", async (key) => {
    const clinic = await service.clinic();
    const sent = Buffer.from(key).toString("latin1");
    const answer = await clinic.client().create(clinic.queue(), customer1, sent);
    expectWrong(answer, "Idempotency-Key");
    if (key !== "") expect(answer.text).not.toContain(key);
  });

  test("is ignored on a cancellation", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue(), customer1, "the-same-key")).data;
    const headers = { "Idempotency-Key": "the-same-key" };
    const canceled = await clinic.client().post(`/v1/entries/${id}/cancel`, { headers });
    expectStatus(canceled, 200);
    expect(canceled.headers.has("Idempotent-Replay")).toBe(false);
    const again = await clinic.client().post(`/v1/entries/${id}/cancel`, { headers });
    expectRefusal(again, 409, "invalid_state");
  });
});

describe("a first request that is still running", async () => {
  const commits = gate();
  const answers = gate();
  const slow = await testService({
    interpose: held("entries", "create", { before: commits, after: answers }),
  });

  test("a second request gets request_in_progress with Retry-After", async () => {
    const clinic = await slow.clinic();
    const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
    commits.close();
    const first = create();
    await commits.reached(1);

    // A second request that came to the store would wait for the first, and the first for the test.
    const atOnce = <Answer>(asked: Promise<Answer>) =>
      Promise.race([
        asked,
        commits.reached(2).then(() => {
          commits.open();
          throw new Error("a second request with the key came to the store");
        }),
      ]);
    const second = await atOnce(create());
    expectRefusal(second, 409, "request_in_progress");
    expect(second.number("Retry-After")).toBe(1);
    const different = { ...customer1, name: "Customer 2" };
    const other = clinic.client().create(clinic.queue(), different, "the-same-key");
    expectRefusal(await atOnce(other), 422, "idempotency_key_reuse");

    commits.open();
    const settled = await first;
    expectReplay(await create(), settled);
  });

  test("a second request gets the stored result once there is one", async () => {
    const clinic = await slow.clinic();
    const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
    answers.close();
    const first = create();
    await answers.reached(1);
    const second = await create();
    answers.open();
    expectReplay(second, await first);
  });

  test("another business can use the same key", async () => {
    const clinics = [await slow.clinic(), await slow.clinic()];
    commits.close();
    const created = clinics.map((clinic) =>
      clinic.client().create(clinic.queue(), customer1, "the-same-key"),
    );
    await Promise.race([commits.reached(2), ...created]);
    commits.open();
    for (const answer of await Promise.all(created)) {
      expectStatus(answer, 201);
      expect(answer.headers.has("Idempotent-Replay")).toBe(false);
    }
  });
});
