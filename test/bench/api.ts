import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Entry, EntryWithPosition } from "@queue-api/contract";
import { InvalidArgumentError } from "commander";
import mongoose from "mongoose";
import type { Stage, Tenant } from "./stage.js";

interface Page {
  readonly data: Entry[];
  readonly nextCursor: string | null;
}

export function authorization({ key }: Pick<Tenant, "key">) {
  return { authorization: `Bearer ${key}` };
}

/** Returns the JSON of a 200 response. */
export async function read<Answer>(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await fetch(`${origin}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Every entry of a queue's day with its position, in token order. */
export async function everyEntry(service: Tenant, queueId: string): Promise<EntryWithPosition[]> {
  const entries: EntryWithPosition[] = [];
  for await (const { data } of pages(service, queueId, 100)) {
    for (const { id } of data) {
      const path = `/v1/entries/${id}`;
      const found = await read<{ data: EntryWithPosition }>(
        service.origin,
        path,
        authorization(service),
      );
      entries.push(found.data);
    }
  }
  return entries;
}

/** The pages of a queue's day, and the path of each. */
export async function* pages(
  service: Tenant,
  queueId: string,
  limit: number,
): AsyncGenerator<Page & { readonly path: string }> {
  const first = `/v1/queues/${queueId}/entries?limit=${limit}`;
  let path: string | null = first;
  while (path !== null) {
    const page: Page = await read(service.origin, path, authorization(service));
    yield { ...page, path };
    path = page.nextCursor === null ? null : `${first}&cursor=${page.nextCursor}`;
  }
}

/** Fails unless both servers answer a path with the same JSON, apart from these fields. */
export async function sameAnswer(
  service: Tenant,
  peer: string,
  path: string,
  except: readonly string[] = [],
): Promise<void> {
  const without = (answer: unknown) =>
    JSON.parse(JSON.stringify(answer, (name, value) => (except.includes(name) ? null : value)));
  const ours = without(await read(service.origin, path, authorization(service)));
  const theirs = without(await read(peer, path, authorization(service)));
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`the answers to ${path} are not the same`);
}

/** The URL of the MongoDB server that some rows need, without the name of a database; null if there is none. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

/** Returns the URL of a new database, which is removed at the end of the stage. */
export function newMongoDatabase(stage: Stage): string {
  if (mongoServer === null) throw new Error("TEST_MONGODB_URL names no MongoDB server");
  const url = `${mongoServer}/queue_api_bench_${randomBytes(6).toString("hex")}`;
  stage.atEnd(async () => {
    const client = await mongoose.mongo.MongoClient.connect(url);
    await client.db().dropDatabase();
    await client.close();
  });
  return url;
}

/** Reads an option that is a number above 0. */
export function positive(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}

/** Reads an option that is an integer of at least 1. */
export function count(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
