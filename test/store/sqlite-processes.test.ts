import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/store/open.js";
import { temporaryFolder } from "../support/folder.js";
import { noRandom, testClock } from "./support/adapters.js";
import { inAnotherProcess } from "./support/other-process.js";
import { clinic, front, settle, today } from "./support/records.js";

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

describe("several processes on one file", () => {
  let folder: string;
  let url: string;

  beforeEach(() => {
    folder = temporaryFolder();
    url = `file:${join(folder, "queue.db")}`;
  });

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
});
