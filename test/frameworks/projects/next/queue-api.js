import { QueueApi } from "@queue-api/sdk";

const queueId = "0VbbLfA4rMAChoYRZ8PWjbVu";

const api = new QueueApi();
const cached = api.withOptions({ fetchOptions: { next: { revalidate: 3600 } } });

export async function waiting() {
  return (await api.queues.get(queueId)).counts.waiting;
}

export async function firstCustomer() {
  for await (const entry of api.entries.list(queueId)) return entry.customer.name;
}

export async function serviceNames() {
  return (await cached.services.list()).map(({ name }) => name);
}
