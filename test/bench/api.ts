import type { Entry, EntryWithPosition } from "@queue-api/contract";
import type { Tenant } from "./stage.js";

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
