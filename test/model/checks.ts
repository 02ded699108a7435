import type { Appointment, Entry, EntryWithPosition } from "@queue-api/contract";
import { averageWait, waitBehind, waitingIn } from "./line.js";
import { shownAppointment } from "./moment.js";
import { countNames, isCharged, shownQueues, shownServices } from "./oracle.js";
import { type KnownCursor, placeOf } from "./requests.js";
import { type Business, type Person, readList, send, type Truth, type World } from "./world.js";

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

function lineOf({ people }: Business, queueId: string): Person[] {
  const line = [...people.values()].filter((one) => one.queueId === queueId);
  return line.sort((a, b) => a.tokenNumber - b.tokenNumber);
}

function appointmentsOf({ appointments, people }: Business) {
  const shown = appointments.map((one) => shownAppointment(one, people.get(one.personId ?? "")));
  return shown.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** The settings, and the order, counts, waits and numbers of every queue and day. */
export function stateFaults(business: Business, truth: Truth): string[] {
  const faults = new Faults();
  const { slug, dailyTokenLimit, created, seeded } = business;
  faults.expect(`${slug}: queues`, shownQueues(truth), shownQueues(business));
  faults.expect(`${slug}: services`, truth.services, shownServices(business));
  faults.expect(`${slug}: appointments`, truth.appointments, appointmentsOf(business));
  for (const { queueId, summary, entries } of truth.lines) {
    const line = lineOf(business, queueId);
    const where = `${slug}: ${summary.name}`;
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
    const left = [...business.people.values()].flatMap((one) => one.left);
    const numbersLeft = left.filter((one) => one.queueId === queueId).map(({ number }) => number);
    const numbers = line.map(({ tokenNumber }) => tokenNumber);
    faults.expect(`${where}: numbers given once`, new Set(numbers).size, numbers.length);
    const given = [...new Set([...numbers, ...numbersLeft])].sort((a, b) => a - b);
    const expected = given.map((_, at) => at + 1);
    faults.expect(`${where}: numbers without gaps`, given, expected);
  }
  const isOver = dailyTokenLimit !== null && created > Math.max(dailyTokenLimit, seeded);
  faults.expect(`${slug}: over its limit of ${dailyTokenLimit}`, isOver, false);
  return faults.found;
}

/** One queue's people by their ids, and the pages of its lists and of the appointments. Notes the cursors. */
export async function readingFaults(
  world: World,
  business: Business,
  queueId: string,
  limit: number,
  cursors: KnownCursor[],
): Promise<string[]> {
  const faults = new Faults();
  const { slug } = business;
  const line = lineOf(business, queueId);
  const waiting = waitingIn(line);
  const positions = line.map(async ({ id, token }) => {
    const { answer } = await send(world, { business, server: 1 }, "GET", `/v1/entries/${id}`);
    const place = waiting.findIndex((one) => one.id === id);
    const { position } = answer.data as EntryWithPosition;
    faults.expect(`${slug}: the position of ${token}`, position, place === -1 ? null : place + 1);
  });
  const pages = async (
    path: string,
    list: string,
    expected: readonly { readonly id: string }[],
    query = {},
  ) => {
    const options = { limit, ...query };
    const read = await readList<Entry | Appointment>(world, business, path, options);
    const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
    faults.expect(`${slug}: ${path} by ${limit}`, ids(read.items), ids(expected));
    for (const [page, cursor] of read.cursors.entries()) {
      const last = read.items[(page + 1) * limit - 1];
      if (last) cursors.push({ list, cursor, place: placeOf(last) });
    }
  };
  const path = `/v1/queues/${queueId}/entries`;
  const waitingByNumber = line.filter(({ status }) => status === "WAITING");
  await Promise.all([
    ...positions,
    pages(path, queueId, line),
    pages(path, queueId, waitingByNumber, { status: "WAITING" }),
    pages("/v1/appointments", slug, appointmentsOf(business)),
  ]);
  return faults.found;
}

/** The windows of every key: never over the limit, and each place given once. A refusal too early, the oracle sees. */
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
        const left = charged
          .filter(({ answer }) => answer.header("RateLimit-Policy").startsWith(`"${window}"`))
          .map(({ answer }) => answer.number("RateLimit-Remaining"));
        faults.expect(`${where}, whether more were admitted`, count > limit, false);
        faults.expect(`${where}, places given once`, new Set(left).size, left.length);
      }
    }
  }
  return faults.found;
}
