import type { Appointment, Entry, EntryWithPosition } from "@queue-api/contract";
import { averageWait, waitBehind, waitingIn } from "./line.js";
import { type Asked, shownAppointment } from "./moment.js";
import { countNames, isCharged, isUnread, shownQueues, shownServices } from "./oracle.js";
import { type KnownCursor, placeOf, printOf } from "./requests.js";
import {
  type Business,
  type Exchange,
  type Person,
  readList,
  send,
  type Truth,
  type World,
} from "./world.js";

/*
 * What must hold when nothing runs: exactly, and computed from all that the model knows.
 */

/** Collects what is not as expected. */
class Faults {
  readonly found: string[] = [];
  expect(what: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) this.found.push(`${what} is ${is} instead of ${should}`);
  }
}

function lineOf({ people }: Business, queueId: string, date: string): Person[] {
  const line = [...people.values()].filter((one) => one.queueId === queueId && one.date === date);
  return line.sort((a, b) => a.tokenNumber - b.tokenNumber);
}

function appointmentsOf({ appointments, people }: Business, dates: readonly string[]) {
  const shown = appointments.map((one) => shownAppointment(one, people.get(one.personId ?? "")));
  return dates.flatMap((date) =>
    shown.filter((one) => one.date === date).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
  );
}

/** The settings, and the order, counts, waits and numbers of every queue and day. */
export function stateFaults(business: Business, truth: Truth): string[] {
  const faults = new Faults();
  const { slug, dailyTokenLimit: limit, createdToday, seededToday } = business;
  faults.expect(`${slug}: queues`, shownQueues(truth), shownQueues(business));
  faults.expect(`${slug}: services`, truth.services, shownServices(business));
  const dates = [...new Set([business.today, ...truth.appointments.map(({ date }) => date)])];
  faults.expect(`${slug}: appointments`, truth.appointments, appointmentsOf(business, dates));
  for (const { queueId, date, summary, entries } of truth.lines) {
    const line = lineOf(business, queueId, date);
    const where = `${slug}: ${summary.name} of ${date}`;
    const tokens = (items: readonly { token: string }[]) => items.map(({ token }) => token);
    faults.expect(`${where}: the order`, tokens(entries), tokens(line));
    const counts = Object.fromEntries(
      Object.entries(countNames).map(([name, wanted]) => {
        return [name, line.filter(({ status }) => status === wanted).length];
      }),
    );
    faults.expect(`${where}: counts`, summary.counts, counts);
    faults.expect(`${where}: averageWaitMinutes`, summary.averageWaitMinutes, averageWait(line));
    const inOrder = waitingIn(line);
    for (const entry of entries) {
      const place = inOrder.findIndex(({ id }) => id === entry.id);
      const wait = place === -1 ? null : waitBehind(inOrder.slice(0, place), line);
      faults.expect(`${where}: the wait of ${entry.token}`, entry.predictedWaitMinutes, wait);
    }
    const left = [...business.people.values()].flatMap((one) =>
      one.date === date ? one.left : [],
    );
    const numbers = line.map(({ tokenNumber }) => tokenNumber);
    faults.expect(`${where}: numbers given once`, new Set(numbers).size, numbers.length);
    const given = new Set([
      ...numbers,
      ...left.filter((one) => one.queueId === queueId).map(({ number }) => number),
    ]);
    const sorted = [...given].sort((a, b) => a - b);
    faults.expect(
      `${where}: numbers without gaps`,
      sorted,
      sorted.map((_, at) => at + 1),
    );
  }
  if (limit !== null)
    faults.expect(
      `${slug}: the daily limit of ${limit} holds`,
      createdToday <= Math.max(limit, seededToday),
      true,
    );
  return faults.found;
}

/** One queue's people by their ids, its pages and the appointments at these limits. Notes the cursors. */
export async function readingFaults(
  world: World,
  business: Business,
  queueId: string,
  limits: readonly number[],
  cursors: KnownCursor[],
): Promise<string[]> {
  const faults = new Faults();
  const caller = { business, key: "main", server: 1 };
  const { today: date, slug } = business;
  const line = lineOf(business, queueId, date);
  const waiting = waitingIn(line);
  const positions = line.map(async ({ id, token }) => {
    const { answer } = await send(world, caller, "GET", `/v1/entries/${id}`);
    const place = waiting.findIndex((one) => one.id === id);
    const { position } = answer.data as EntryWithPosition;
    faults.expect(`${slug}: the position of ${token}`, position, place === -1 ? null : place + 1);
  });
  type Item = Entry | Appointment;
  const pages = async (
    path: string,
    limit: number,
    expected: readonly { readonly id: string }[],
    filter: KnownCursor["filter"] = {},
  ) => {
    const read = await readList<Item>(world, caller, path, { date, limit, ...filter });
    faults.expect(`${slug}: ${path} by ${limit}`, idsOf(read.items), idsOf(expected));
    for (const [page, cursor] of read.cursors.entries()) {
      const last = read.items[(page + 1) * limit - 1];
      const place = last && placeOf(last);
      if (place) cursors.push({ slug, path, filter, date, cursor, place, last: last.id });
    }
  };
  const booked = appointmentsOf(business, [date]);
  const path = `/v1/queues/${queueId}/entries`;
  const waitingByNumber = line.filter(({ status }) => status === "WAITING");
  await Promise.all([
    ...positions,
    ...limits.flatMap((limit) => [
      pages(path, limit, line),
      pages(path, limit, waitingByNumber, { status: "WAITING" }),
      pages("/v1/appointments", limit, booked),
    ]),
  ]);
  return faults.found;
}

/** Reads the rest of the lists that were begun before the round, each from its place and under its filter. */
export async function restFaults(world: World, cursors: readonly KnownCursor[]): Promise<string[]> {
  const faults = new Faults();
  const rests = cursors.map(async ({ slug, path, filter, date, cursor, place }) => {
    const business = world.businesses.find((one) => one.slug === slug);
    if (!business) throw new Error(`there is no business ${slug}`);
    const [, queueId] = /queues\/(\w+)/.exec(path) ?? [];
    const all = queueId ? lineOf(business, queueId, date) : appointmentsOf(business, [date]);
    const query = { date, cursor, ...filter };
    const read = await readList<Entry | Appointment>(world, { business }, path, query);
    const { status } = filter;
    const rest = all.filter((one) => placeOf(one) > place && (!status || one.status === status));
    faults.expect(`${slug}: ${path} after ${place}`, idsOf(read.items), idsOf(rest));
  });
  await Promise.all(rests);
  return faults.found;
}

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** The windows of every key: never over the limit, and each place given once. The oracle knows who is refused too early. */
export function windowFaults({ businesses, exchanges, startedAt }: World): string[] {
  const faults = new Faults();
  if (Date.now() - startedAt > 55_000) return []; // a window may have ended
  for (const { index, slug, keys } of businesses) {
    for (const [name, { requestsPerMinute, writesPerMinute }] of Object.entries(keys)) {
      const own = exchanges.filter((one) => one.business === index && one.key === name);
      const charged = own.filter(isCharged);
      const writes = charged.filter(({ method }) => method === "POST");
      const windows = [
        ["requests", charged.length, requestsPerMinute],
        ["writes", writes.length, writesPerMinute],
      ] as const;
      for (const [window, count, limit] of windows) {
        const where = `${slug}, key ${name}, ${window}: after ${count} of ${limit}`;
        const reported = charged.filter(({ answer }) =>
          answer.header("RateLimit-Policy").startsWith(`"${window}"`),
        );
        const left = reported
          .map(({ answer }) => answer.number("RateLimit-Remaining"))
          .sort((a, b) => a - b);
        faults.expect(`${where}, whether more were admitted`, count > limit, false);
        faults.expect(
          `${where}, places given twice`,
          left.filter((place, at) => place === left[at - 1]),
          [],
        );
        faults.expect(
          `${where}, places that nobody took`,
          left.filter((place) => place < limit - count),
          [],
        );
      }
    }
  }
  return faults.found;
}

/** Sends each kept creation of a round again, to another process and with another API key: the same bytes. */
export async function replayFaults(world: World, asked: readonly Asked[]): Promise<string[]> {
  const faults = new Faults();
  const again = asked.map(async ({ sent, exchange }) => {
    const { creation, ask, method, path, headers, body } = sent;
    const business = world.businesses[sent.business.index] ?? sent.business;
    const kept = business.receipts.get(creation?.key ?? "");
    if (!creation || kept?.answer !== exchange.answer || kept.print !== printOf(creation)) return;
    const { answer } = await send(
      world,
      { business, key: "main", server: ask.server + 1 },
      method,
      path,
      { headers, body: body ?? "" },
    );
    const shown = [answer.status, answer.headers.get("Idempotent-Replay"), answer.text];
    faults.expect(`${path} with the key ${creation.key} again`, shown, [
      201,
      "true",
      kept.answer.text,
    ]);
  });
  await Promise.all(again);
  return faults.found;
}

/** One row in the audit log for each request with a good key, and none for the others. */
export async function auditFaults(world: World): Promise<string[]> {
  const perBusiness = world.businesses.map(async (business) => {
    const isAudited = (one: Exchange) =>
      one.business === business.index &&
      one.key in business.keys &&
      one.answer.status !== 401 &&
      !isUnread(one);
    const audited = world.exchanges.filter(isAudited);
    let faults: string[] = [];
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

async function rowsOf({ owner: [session] }: Business) {
  const { body = "" } = (await session?.get("/dashboard/audit.csv")) ?? {};
  const lines = body
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
  const byKey = lines.filter((cells) => cells.at(-1) === "");
  return byKey.map(([, method, path, status, key, , , id, count]) => ({
    request: `${method} ${path} ${status} ${key}`,
    group: `${status} ${key}`,
    id,
    count: Number(count),
  }));
}

function rowFaults(
  { slug, keys }: Business,
  audited: readonly Exchange[],
  rows: Awaited<ReturnType<typeof rowsOf>>,
): string[] {
  const faults = new Faults();
  const byId = new Map(rows.map((row) => [row.id, row.request]));
  // Refusals beyond the limit of a key share a row.
  const sums = new Set(rows.filter(({ count }) => count > 1).map(({ group }) => group));
  for (const { key, method, path, answer } of audited) {
    const group = `${answer.status} ${keys[key]?.text.split("_")[2]}`;
    const request = `${method} ${path.split("?")[0]} ${group}`;
    if (!sums.has(group))
      faults.expect(`the audit row of ${answer.requestId}`, byId.get(answer.requestId), request);
  }
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  faults.expect(`${slug}: the number of audited requests`, total, audited.length);
  return faults.found;
}
