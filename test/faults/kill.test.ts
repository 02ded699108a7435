import type { EntryWithPosition } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import type { Client } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { expectStatus } from "../support/expect.js";
import { History } from "../support/history.js";
import { serveClinic } from "../support/process.js";
import { wideKey } from "../support/seed.js";

/** The number of acknowledged creations after which each server is killed, during the next ones. */
const killedAfter = [1, 7, 23, 40, 64];
const senders = 8;

interface Creation {
  readonly key: string;
  readonly name: string;
  /** The response, or null without one. */
  acknowledged: Answer | null;
}

const bodyOf = ({ name }: Creation) => ({ name, phone: "919800000001" });

/** Creates an entry, and records the response. */
async function create(
  client: Client,
  queueId: string,
  creation: Creation,
  history: History,
): Promise<Answer<EntryWithPosition>> {
  let answer: Answer<EntryWithPosition> | null = null;
  await history.create(creation.name, async () => {
    answer = await client.create(queueId, bodyOf(creation), creation.key);
    if (answer.status !== 201) return null;
    const { id, tokenNumber: number, position } = answer.data;
    return { id, number, position, text: answer.text };
  });
  if (!answer) throw new Error("a creation ended without an answer");
  return answer;
}

/** Cancels an entry, or reads its position. */
async function cancelOrRead(client: Client, id: string, cancels: boolean, history: History) {
  if (cancels) await history.cancel(id, async () => (await client.cancel(id)).status === 200);
  else await history.place(id, async () => (await client.entry(id)).data.position);
}

/**
 * Creates entries from several concurrent senders, reads and cancels some of them, and kills the server at
 * the same time. Returns when the server has ended.
 */
async function createUntilKilled(
  client: Client,
  queueId: string,
  count: number,
  history: History,
  kill: () => void,
): Promise<Creation[]> {
  const creations: Creation[] = [];
  let acknowledged = 0;
  const sender = async () => {
    for (;;) {
      const key = crypto.randomUUID();
      const creation: Creation = { key, name: `Customer ${key}`, acknowledged: null };
      creations.push(creation);
      try {
        const answer = await create(client, queueId, creation, history);
        expectStatus(answer, 201);
        creation.acknowledged = answer;
        const { id, tokenNumber } = answer.data;
        if (tokenNumber % 3 !== 0) await cancelOrRead(client, id, tokenNumber % 3 === 1, history);
      } catch (error) {
        if (error instanceof TypeError) return; // the connection was closed
        throw error;
      }
      if (++acknowledged === count) kill();
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return creations;
}

describe("kill -9 under load", () => {
  test("loses no acknowledged creation, repeats no token number, and replays", async ({
    onTestFinished,
  }) => {
    const { owner, start, clinicAt, ...first } = await serveClinic(onTestFinished, {
      keys: [wideKey],
    });
    let server = first.server;
    const creations: Creation[] = [];
    const history = new History();

    for (const count of killedAfter) {
      const clinic = await clinicAt(server);
      creations.push(
        ...(await createUntilKilled(clinic.client(), clinic.queue(), count, history, () =>
          server.signal("SIGKILL"),
        )),
      );
      expect(await server.exited).toMatchObject({ signal: "SIGKILL" });
      server = await start();
    }

    const clinic = await clinicAt(server);
    const acknowledged = creations.filter(({ acknowledged }) => acknowledged !== null);
    const lost = creations.filter(({ acknowledged }) => acknowledged === null);
    expect(acknowledged.length).toBeGreaterThanOrEqual(killedAfter.reduce((a, b) => a + b));

    for (const creation of acknowledged) {
      const replay = await create(clinic.client(), clinic.queue(), creation, history);
      expect(replay.header("Idempotent-Replay")).toBe("true");
      expect(replay.text).toBe(creation.acknowledged?.text);
    }
    for (const creation of lost) {
      const retried = await create(clinic.client(), clinic.queue(), creation, history);
      if (retried.status !== 201) expect(retried.error.code).toBe("request_in_progress");
    }

    const entries = await everyEntry(clinic);
    const listed = entries.map(({ id, customer, tokenNumber: number, status }) => ({
      ...{ id, key: customer.name ?? "", number, status },
    }));
    expect(history.faults(listed)).toEqual([]);

    const audited = new Set((await owner.audit(clinic.slug, 10_000)).map((row) => row.requestId));
    for (const { acknowledged: answer } of acknowledged) {
      expect(audited.has(answer?.requestId ?? "")).toBe(true);
    }
  });
});

async function everyEntry(clinic: Clinic) {
  const entries = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string | number> = { limit: 100, ...(cursor && { cursor }) };
    const page = await clinic.client().entries(clinic.queue(), query);
    entries.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return entries;
}
