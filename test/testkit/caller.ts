import type { QueueApiMock } from "@queue-api/testkit";

export const customer = { name: "Customer 9", phone: "919800000009" };

/** Sends a request to a mock with one of its keys, by its own `fetch` or another one. */
export function caller(
  mock: QueueApiMock,
  key = mock.key(),
  send: (url: string, init: RequestInit) => Promise<Response> = mock.fetch,
) {
  const authorization = { Authorization: `Bearer ${key}` };
  return {
    get: (path: string, headers: Record<string, string> = {}) =>
      send(mock.baseUrl + path, { headers: { ...authorization, ...headers } }),
    /** Creates a token in the queue `front`. */
    create: (idempotencyKey?: string) =>
      send(`${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`, {
        method: "POST",
        headers: {
          ...authorization,
          "Content-Type": "application/json",
          ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
        },
        body: JSON.stringify(customer),
      }),
  };
}
