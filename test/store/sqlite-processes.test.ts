import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/store/open.js";
import { noRandom, testClock } from "./support/adapters.js";
import { inAnotherProcess } from "./support/other-process.js";
import { back, clinic, front, settle, today, token } from "./support/records.js";

/** Issues tokens in small batches, reads between them, and returns their numbers. */
const issueTokens = `
  const store = await openStore(args.url);
  const numbers = [];
  for (let wave = 0; wave < 20; wave++) {
    const outcomes = await Promise.all(Array.from({ length: 5 }, (_, n) =>
      store.entries.issue(args.businessId, {
        id: (args.name + "w" + wave + "n" + n + "x").padEnd(24, "0"),
        queueId: args.queueId, date: args.date, serviceId: null, customerName: null,
        customerPhone: null, phoneIsInternational: false, priority: false, issuedAt: 0, keyed: null,
        audit: null,
      })));
    for (const { receipt } of outcomes) numbers.push(JSON.parse(receipt).data.tokenNumber);
    await store.admission.admit({ address: "192.0.2.1", subject: "192.0.2.1", credentials: null, write: false });
    await store.queues.day(args.businessId, args.queueId, args.date);
  }
  await store.close();
  return numbers;`;

/** Attempts to sign in from one address, and returns how many attempts were admitted. */
const attemptSignIns = `
  const store = await openStore(args.url);
  const attempt = { subject: "192.0.2.1", email: "anna@clinic.example", browser: null };
  const admissions = await Promise.all(
    Array.from({ length: 10 }, () => store.signIns.admit(attempt)));
  await store.close();
  return admissions.filter(({ outcome }) => outcome === "admitted").length;`;

/** Issues tokens with keys, moves the people, and writes each acknowledged receipt as a line. Never ends. */
const work = `
  const store = await openStore(args.url);
  for (let n = 0; ; n++) {
    await Promise.all([0, 1, 2].map(async (lane) => {
      const key = [args.name, n, lane].join("-");
      const id = (key.replaceAll("-", "x") + "y").padEnd(24, "0");
      const { receipt } = await store.entries.issue(args.businessId, {
        id, queueId: args.queueIds[lane % 2], date: args.date, serviceId: null, customerName: null,
        customerPhone: null, phoneIsInternational: false, priority: n % 5 === 0, issuedAt: 0,
        keyed: { key, fingerprint: "same" }, audit: null,
      });
      process.stdout.write(JSON.stringify({ key, receipt }) + "\\n");
      if (lane === 0) await store.entries.transfer(args.businessId, id, args.queueIds[1]);
      if (lane === 1) await store.entries.move(args.businessId, id, "cancel", 1);
    }));
  }`;

describe("several processes on one file", () => {
  let folder: string;
  let url: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "queue-api-processes-"));
    url = `file:${join(folder, "queue.db")}`;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("create a new database together", async () => {
    const body = "await (await openStore(args.url)).close(); return 'opened';";
    const ended = await Promise.all([1, 2, 3, 4].map(() => inAnotherProcess(body, { url })));
    expect(ended).toEqual(Array(4).fill({ code: 0, output: '"opened"', errors: "" }));
  });

  it("issue tokens at the same time without duplicates, gaps or lock errors", async () => {
    const store = await openStore(url, { clock: testClock(), random: noRandom });
    await settle(store);
    const args = { url, businessId: clinic.id, queueId: front.id, date: today };
    const ended = await Promise.all(
      ["one", "two", "three"].map((name) => inAnotherProcess(issueTokens, { ...args, name })),
    );
    expect(ended.map(({ errors }) => errors)).toEqual(["", "", ""]);
    const numbers = ended.flatMap(({ output }) => JSON.parse(output) as number[]);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    expect((await store.queues.day(clinic.id, front.id, today))?.counts.WAITING).toBe(300);
    expect((await store.admission.signInWindow("192.0.2.1")).remaining).toBe(0);
    await store.close();
  });

  it("admit ten sign-ins of an owner together, and no more", async () => {
    const store = await openStore(url, { clock: testClock(), random: noRandom });
    await store.close();
    const ended = await Promise.all(
      [1, 2, 3, 4].map(() => inAnotherProcess(attemptSignIns, { url })),
    );
    expect(ended.map(({ errors }) => errors)).toEqual(["", "", "", ""]);
    const admitted = ended.map(({ output }) => Number(output));
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(10);
  });

  it("lose nothing acknowledged when they are killed, and count right at once", async () => {
    const store = await openStore(url, { clock: testClock(), random: noRandom });
    await settle(store);
    const args = { url, businessId: clinic.id, queueIds: [front.id, back.id], date: today };
    let name = 0;
    const killed = (killAfterLines: number) =>
      inAnotherProcess(work, { ...args, name: `p${name++}` }, { killAfterLines });
    const longer = killed(90);
    const ended = [await killed(1), await killed(20), await killed(41), await longer];
    const lines = ended.flatMap(({ output }) => output.split("\n").slice(0, -1));
    const receipts = lines.map((line) => JSON.parse(line) as { key: string; receipt: string });
    expect(receipts.length).toBeGreaterThan(150);

    for (const { key, receipt } of receipts) {
      const again = token("again", { keyed: { key, fingerprint: "same" } });
      const outcome = await store.entries.issue(clinic.id, again);
      expect(outcome).toEqual({ outcome: "replay", receipt });
    }
    for (const { id: queueId } of [front, back]) {
      const whole = { limit: 1_000, after: null };
      const page = await store.entries.page(clinic.id, queueId, today, "WAITING", whole);
      if (typeof page === "string") throw new Error(page);
      const line = page.items.toSorted(
        ({ entry: a }, { entry: b }) =>
          Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber,
      );
      const found = await Promise.all(
        line.map(({ entry }) => store.entries.get(clinic.id, entry.id)),
      );
      expect(found.map((one) => one?.line?.ahead.people)).toEqual(line.map((_, index) => index));
      expect((await store.queues.day(clinic.id, queueId, today))?.counts.WAITING).toBe(line.length);
    }
    await store.close();
  });
});
