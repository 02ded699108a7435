import { auditLog } from "@queue-api/server";
import { isCharged } from "./oracle.js";
import type { Exchange, World } from "./requests.js";

/*
 * What must hold of all requests of a case together.
 */

/** The windows of each key: never over the limit, each place given once, and nobody refused before. */
export function windowFaults({ businesses, exchanges, startedAt }: World): string[] {
  if (Date.now() - startedAt > 55_000) return []; // a window may have ended
  const keys = businesses.flatMap(({ index, keys }) =>
    Object.values(keys).map((key) => ({ index, ...key })),
  );
  return keys.flatMap(({ index, name, requestsPerMinute, writesPerMinute }) => {
    const own = exchanges.filter(({ sent }) => sent.business.index === index && sent.key === name);
    const charged = own.filter(isCharged);
    const writes = charged.filter(({ sent }) => sent.method === "POST");
    const faults = [
      ...faultsOf("requests", charged, requestsPerMinute),
      ...faultsOf("writes", writes, writesPerMinute),
    ];
    const isOpen = ({ sent }: Exchange) =>
      charged.length < requestsPerMinute &&
      (sent.method === "GET" || writes.length < writesPerMinute);
    if (own.some((one) => one.answer.status === 429 && isOpen(one)))
      faults.push("a request was refused before its window was full");
    return faults.map((fault) => `the key ${name} of business ${index}, ${fault}`);
  });
}

function faultsOf(window: string, charged: readonly Exchange[], limit: number): string[] {
  const count = `${window}: of ${limit}, ${charged.length} were admitted`;
  const left = charged
    .map(({ answer }) => answer)
    .filter((answer) => answer.header("RateLimit-Policy").startsWith(`"${window}"`))
    .map((answer) => answer.number("RateLimit-Remaining"));
  const faults: string[] = [];
  if (charged.length > limit) faults.push(count);
  if (new Set(left).size < left.length) faults.push(`${count}, and a place was given twice`);
  if (Math.min(...left) < limit - charged.length) faults.push(`${count}, and others were charged`);
  return faults;
}

/** The audit logs: one row for each request with a good key, and none for the others. */
export async function auditFaults({ place, businesses, exchanges }: World): Promise<string[]> {
  const audited = exchanges.filter(({ answer }) => answer.status !== 401);
  const expected = new Map(audited.map((one) => [one.answer.requestId, rowOf(one)]));
  let faults: string[] = [];
  // The rows of requests that changed nothing are stored soon after their answers.
  for (const giveUp = Date.now() + 10_000; Date.now() < giveUp; ) {
    const logs = businesses.map(({ slug }) => auditLog(place.store, slug, Infinity));
    const rows = (await Promise.all(logs)).flat().filter(({ account }) => account === null);
    const total = rows.reduce((total, { sum }) => total + (sum?.count ?? 1), 0);
    faults = rows.flatMap(({ requestId, method, path, status, keyId, sum }) => {
      const row = `${method} ${path} ${status} ${keyId}`;
      // Refusals beyond the limit of a key share a row.
      if ((sum?.count ?? 1) > 1 || row === expected.get(requestId)) return [];
      return [`the row of ${requestId} is ${row}, not ${expected.get(requestId)}`];
    });
    if (total !== audited.length) faults.push(`${total} rows are of ${audited.length} requests`);
    if (faults.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return faults;
}

function rowOf({ sent, answer }: Exchange): string {
  const keyId = sent.business.keys[sent.key]?.text.split("_")[2];
  return `${sent.method} ${sent.path.split("?")[0]} ${answer.status} ${keyId}`;
}
