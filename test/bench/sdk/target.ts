import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { authorization, read } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Service, Stage } from "../stage.js";
import type { Target } from "./clients.js";
import type { Repetition } from "./repeating-server.js";

/** One entry of the service, everything on. */
async function servedEntry(stage: Stage): Promise<Target> {
  const service = await stage.service(clinic({ front: usualDay(200) }));
  return entryOf(service);
}

/**
 * The same entry, as a server repeats it from memory whose process has nothing else to do. The service
 * itself would be what limits a fast client.
 *
 * @param delayMs - What a network would take there and back. Default: nothing.
 */
export async function repeatedEntry(stage: Stage, delayMs = 0): Promise<Target> {
  const target = await servedEntry(stage);
  const answer = await recorded(target);
  const server = stage.worker<Repetition, string>(
    new URL("./repeating-server.js", import.meta.url),
  );
  return { ...target, origin: await server.ask({ answer, delayMs }) };
}

async function entryOf(service: Service): Promise<Target> {
  const { origin, key, queues } = service;
  const path = `/v1/queues/${queues.front}/entries?status=WAITING&limit=1`;
  const headers = authorization(service);
  const { data } = await read<{ data: { id: string }[] }>(origin, path, headers);
  const [entry] = data;
  if (!entry) throw new Error("nobody waits");
  return { origin, key, entryId: entry.id };
}

/** The answer to a read of the entry as it stands on the wire. */
async function recorded({ origin, key, entryId }: Target): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${origin}/v1/entries/${entryId}`, { headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const lines = answer.rawHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  return `HTTP/1.1 200 OK\r\n${lines.join("")}\r\n${await text(answer)}`;
}
