import { isCharged } from "./oracle.js";
import type { Exchange, World } from "./requests.js";
import type { Business } from "./world.js";

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
export async function auditFaults({ businesses, exchanges }: World): Promise<string[]> {
  const audited = exchanges.filter(({ answer }) => answer.status !== 401);
  const expected = new Map(audited.map((one) => [one.answer.requestId, rowOf(one)]));
  let faults: string[] = [];
  // The rows of requests that changed nothing are stored soon after their answers.
  for (const giveUp = Date.now() + 10_000; Date.now() < giveUp; ) {
    const rows = (await Promise.all(businesses.map(auditRows))).flat();
    const total = rows.reduce((sum, { count }) => sum + count, 0);
    // Refusals beyond the limit of a key share a row.
    const wrong = rows.filter(({ id, count, row }) => count === 1 && expected.get(id) !== row);
    faults = wrong.map(({ id, row }) => `the row of ${id} is ${row}, not ${expected.get(id)}`);
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

/** The rows of requests of the API in the audit log. */
async function auditRows({ owner: [session] }: Business) {
  const { body = "" } = (await session?.get("/dashboard/audit.csv")) ?? {};
  const rows = body
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
  return rows
    .filter((cells) => cells.at(-1) === "")
    .map(([, method, path, status, key, , , id = "", count]) => {
      return { id, row: `${method} ${path} ${status} ${key}`, count: Number(count) };
    });
}
