import type { Appointment, Entry, EntryWithPosition } from "@queue-api/contract";
import { averageWait, waitBehind, waitingIn } from "./line.js";
import type { Asked, Truth } from "./moment.js";
import { codeOf, isCharged, isUnread } from "./oracle.js";
import { sendOne } from "./pages.js";
import { type KnownCursor, placeOfNumber, placeOfSlot } from "./requests.js";
import {
  type Business,
  type Exchange,
  type KeyName,
  type Person,
  send,
  type World,
} from "./world.js";

/*
 * What must hold when nothing runs: exactly, and computed from all that the model knows.
 */

type Faults = string[];

function lineOf({ people }: Business, queueId: string, date: string): Person[] {
  return [...people.values()].filter((one) => one.queueId === queueId && one.date === date);
}

/** The lists, counts, waits and numbers of every queue and day, as they were read. */
export function lineFaults(business: Business, truth: Truth): Faults {
  const faults: Faults = [];
  const expect = (what: string, actual: unknown, expected: unknown) => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) faults.push(`${business.slug}: ${what} is ${is} instead of ${should}`);
  };
  for (const { queueId, date, summary, entries } of truth.lines) {
    const line = lineOf(business, queueId, date);
    const where = `${summary.name} of ${date}`;
    const inOrder = line.toSorted((a, b) => a.tokenNumber - b.tokenNumber);
    expect(
      `${where}: the order of tokens`,
      entries.map(({ token }) => token),
      inOrder.map(({ token }) => token),
    );
    const count = (wanted: string) => line.filter(({ status }) => status === wanted).length;
    expect(`${where}: counts`, summary.counts, {
      ...{
        waiting: count("WAITING"),
        inService: count("IN_SERVICE"),
        completed: count("COMPLETED"),
      },
      ...{ canceled: count("CANCELED"), noShow: count("NO_SHOW") },
    });
    expect(`${where}: averageWaitMinutes`, summary.averageWaitMinutes, averageWait(line));
    const waiting = waitingIn(line);
    for (const entry of entries) {
      const place = waiting.findIndex(({ id }) => id === entry.id);
      const wait = place === -1 ? null : waitBehind(waiting.slice(0, place), line);
      expect(`${where}: predictedWaitMinutes of ${entry.token}`, entry.predictedWaitMinutes, wait);
    }
    const left = [...business.people.values()].flatMap((one) =>
      one.date === date ? one.left : [],
    );
    const numbers = [
      ...line.map(({ tokenNumber }) => tokenNumber),
      ...left.flatMap((one) => (one.queueId === queueId ? [one.number] : [])),
    ];
    // A number that was left and came back by an undo is the same person's.
    const given = [...new Set(numbers)].sort((a, b) => a - b);
    expect(
      `${where}: the numbers without gaps`,
      given,
      given.map((_, at) => at + 1),
    );
    expect(
      `${where}: numbers given once`,
      new Set(line.map(({ tokenNumber }) => tokenNumber)).size,
      line.length,
    );
  }
  const { dailyTokenLimit: limit, createdToday, seededToday } = business;
  if (limit !== null && createdToday > Math.max(limit, seededToday))
    faults.push(`${business.slug} created ${createdToday} tokens of ${limit}`);
  return faults;
}

/** One queue's people by their ids, its pages and the appointments at every limit. Notes the cursors. */
export async function readingFaults(
  world: World,
  business: Business,
  queueId: string,
  server: number,
  cursors: KnownCursor[],
): Promise<Faults> {
  const faults: Faults = [];
  const target = world.place.targets[server % world.place.targets.length];
  const get = async (path: string, query = {}) =>
    (await send(world, target, { business, key: "main" }, "GET", path, { query })).answer;
  const { today } = business;
  const line = lineOf(business, queueId, today);
  const waiting = waitingIn(line);
  await Promise.all(
    line.map(async ({ id, token }) => {
      const { data } = (await get(`/v1/entries/${id}`)) as { data: EntryWithPosition };
      const place = waiting.findIndex((one) => one.id === id);
      const expected = place === -1 ? null : place + 1;
      if (data.position !== expected)
        faults.push(`the position of ${token} is ${data.position} instead of ${expected}`);
    }),
  );
  const walk = async (
    path: string,
    limit: number,
    list: string | null,
    place: (item: never) => string,
    query = {},
  ) => {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const answer = await get(path, { date: today, limit, ...query, ...(cursor && { cursor }) });
      if (answer.status !== 200) return [`refused: ${answer.text}`];
      const items = answer.data as Entry[];
      ids.push(...items.map(({ id }) => id));
      cursor = answer.nextCursor;
      const last = items.at(-1);
      if (cursor !== null && last)
        cursors.push({ business, list, date: today, cursor, place: place(last as never) });
    }
    return ids;
  };
  const inOrder = line.toSorted((a, b) => a.tokenNumber - b.tokenNumber);
  const booked = business.appointments
    .filter(({ date }) => date === today)
    .toSorted((a, b) => (placeOfSlot(a) < placeOfSlot(b) ? -1 : 1));
  const lists = [
    ...[...Array(inOrder.length).keys()].map((at) => [at + 1, null] as const),
    ...[1, 2, 3].map((limit) => [limit, "WAITING"] as const),
  ];
  await Promise.all([
    ...lists.map(async ([limit, status]) => {
      const expected = inOrder
        .filter((one) => status === null || one.status === status)
        .map(({ id }) => id);
      const number = ({ tokenNumber }: Entry) => placeOfNumber(tokenNumber);
      const found = await walk(
        `/v1/queues/${queueId}/entries`,
        limit,
        queueId,
        number,
        status === null ? {} : { status },
      );
      if (found.join() !== expected.join())
        faults.push(`the pages of ${limit} ${status} are ${found} instead of ${expected}`);
    }),
    ...[...Array(booked.length).keys()].map(async (at) => {
      const found = await walk("/v1/appointments", at + 1, null, (item: Appointment) =>
        placeOfSlot(item),
      );
      const expected = booked.map(({ id }) => id);
      if (found.join() !== expected.join())
        faults.push(`the appointments by ${at + 1} are ${found} instead of ${expected}`);
    }),
  ]);
  return faults;
}

/** The windows of every key: never over the limit, each place given once, none missing. */
export function windowFaults({ businesses, exchanges, startedAt }: World): Faults {
  const faults: Faults = [];
  if (Date.now() - startedAt > 55_000) return faults; // a window may have ended
  for (const business of businesses) {
    for (const name of Object.keys(business.keys) as KeyName[]) {
      const { requestsPerMinute, writesPerMinute } = business.keys[name];
      const charged = exchanges.filter(
        (one) => one.business === business && one.key === name && isCharged(one),
      );
      const writes = charged.filter(({ method }) => method === "POST").length;
      const counts = {
        requests: [charged.length, requestsPerMinute],
        writes: [writes, writesPerMinute],
      } as const;
      for (const [window, [count, limit]] of Object.entries(counts)) {
        const where = `${business.slug}, key ${name}, ${window}`;
        if (count > limit) faults.push(`${where}: ${count} were admitted of ${limit}`);
        const left = charged
          .filter(({ answer }) => answer.header("RateLimit-Policy").startsWith(`"${window}"`))
          .map(({ answer }) => answer.number("RateLimit-Remaining"))
          .sort((a, b) => a - b);
        if (new Set(left).size < left.length)
          faults.push(`${where}: a place was given twice: ${left}`);
        if ((left[0] ?? limit) < limit - count)
          faults.push(`${where}: ${left[0]} are left of ${limit} after ${count}`);
      }
      const refused = exchanges.filter(
        (one) => one.business === business && one.key === name && codeOf(one) === "rate_limited",
      );
      const isFull =
        charged.length >= requestsPerMinute ||
        (writes >= writesPerMinute && refused.every(({ method }) => method === "POST"));
      if (refused.length > 0 && !isFull)
        faults.push(
          `${business.slug}: the key ${name} was refused after ${charged.length} requests, ${writes} of them writes`,
        );
    }
  }
  return faults;
}

/** Sends each kept creation of a round again, by another process and key: the same bytes, and nobody new. */
export async function replayFaults(world: World, asked: readonly Asked[]): Promise<Faults> {
  const kept = asked.filter(({ sent: { creation, business }, exchange: { answer } }) => {
    const receipt = business.receipts.get(creation?.key ?? "");
    return receipt?.text === answer.text && receipt.print === creation?.print;
  });
  const faults = kept.map(async ({ sent, exchange }) => {
    const server = (sent.server + 1) % world.place.targets.length;
    const { answer } = await sendOne(world, { ...sent, server, key: "main" });
    const isSame =
      answer.status === 201 &&
      answer.headers.get("Idempotent-Replay") === "true" &&
      answer.text === exchange.answer.text;
    const isSameLocation =
      answer.headers.get("Location") === exchange.answer.headers.get("Location");
    return isSame && isSameLocation
      ? []
      : [
          `${sent.path} with the key ${sent.creation?.key} was answered ${exchange.answer.text}\n  and later ${answer.status} ${answer.text}`,
        ];
  });
  return (await Promise.all(faults)).flat();
}

/** One row in the audit log for each request with a good key, and none for the others. */
export async function auditFaults(world: World): Promise<Faults> {
  const perBusiness = world.businesses.map(async (business) => {
    const audited = world.exchanges.filter(
      (one) =>
        one.business === business &&
        one.key !== null &&
        one.answer.status !== 401 &&
        !isUnread(one),
    );
    let faults: Faults = [];
    // The rows of requests that changed nothing are stored soon after their answers.
    for (const giveUp = Date.now() + 15_000; Date.now() < giveUp; ) {
      faults = rowFaults(business, audited, await rowsOf(business));
      if (faults.length === 0) return [];
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return faults;
  });
  return (await Promise.all(perBusiness)).flat();
}

async function rowsOf({ owner }: Business) {
  const { body } = (await owner[0]?.get("/dashboard/audit.csv")) ?? { body: "" };
  return body
    .split("\r\n")
    .slice(1)
    .flatMap((line) => {
      const [, method = "", path, status, key, , , requestId = "", count, , account] = line
        .split(",")
        .map((cell) => cell.replaceAll(/^"|"$/g, ""));
      return method === "" || account !== ""
        ? []
        : [{ method, path, status: Number(status), key, requestId, count: Number(count) }];
    });
}

function rowFaults(
  business: Business,
  audited: readonly Exchange[],
  rows: Awaited<ReturnType<typeof rowsOf>>,
): Faults {
  const faults: Faults = [];
  const byId = new Map(rows.map((row) => [row.requestId, row]));
  const sums = new Set(
    rows.filter(({ count }) => count > 1).map(({ key, status }) => `${key} ${status}`),
  );
  for (const one of audited) {
    const { key, method, path, answer } = one;
    const id = business.keys[key ?? "main"].text.split("_")[2];
    const row = byId.get(answer.requestId);
    const isRight =
      row?.method === method &&
      row.path === path.split("?")[0] &&
      row.status === answer.status &&
      row.key === id;
    if (!isRight && !sums.has(`${id} ${answer.status}`))
      faults.push(
        `${method} ${path} ${answer.status} ${answer.requestId} has the audit row ${JSON.stringify(row ?? null)}`,
      );
  }
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  if (total !== audited.length)
    faults.push(`${business.slug}: ${audited.length} requests have ${total} rows in the audit log`);
  return faults;
}
