/** The whole flow with openapi-fetch on the types that openapi-typescript generates. Prints the results as JSON. */
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./queue-api.js";

const { BASE_URL = "", FAILING_URL = "", MAIN_KEY = "", READ_KEY = "" } = process.env;
const { QUEUE_ID: queueId = "" } = process.env;

function connect(key: string, baseUrl = BASE_URL) {
  const client = createClient<paths>({ baseUrl });
  client.use({
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${key}`);
      return request;
    },
  });
  return client;
}

interface Refused {
  readonly response: Response;
  readonly error?: components["schemas"]["ErrorResponse"] | undefined;
}

/** The status, the code, and the fields or scopes that the error names. */
function outcome({ response, error: refused }: Refused): string {
  if (typeof refused !== "object") return `${response.status} without an error`;
  const { code, details = [], required = [] } = refused.error;
  return [response.status, code, ...details.map(({ field }) => field), ...required].join(" ");
}

const main = connect(MAIN_KEY);
const body = { name: "Customer 4", phone: "+91 98000 00004" };
const create = (sent = body, client = main, key = "typescript-journey-1") =>
  client.POST("/v1/queues/{queueId}/entries", {
    params: { path: { queueId }, header: { "Idempotency-Key": key } },
    body: sent,
  });
const cancel = (entryId: string) =>
  main.POST("/v1/entries/{entryId}/cancel", { params: { path: { entryId } } });
const me = (client = main) => client.GET("/v1/me");

const created = await create();
const replayed = await create();
const entry = created.data?.data;
if (!entry) throw new Error("nothing was created");

const pages: string[][] = [];
let cursor: string | null = null;
do {
  const query: { limit: number; cursor?: string } = {
    limit: 3,
    ...(cursor !== null && { cursor }),
  };
  const { data: page } = await main.GET("/v1/queues/{queueId}/entries", {
    params: { path: { queueId }, query },
  });
  if (!page) throw new Error("no page");
  pages.push(page.data.map(({ token }) => token));
  cursor = page.nextCursor;
} while (cursor !== null);

const canceled = await cancel(entry.id);

const results = {
  me: (await me()).data?.data.business.name,
  created: [created.response.status, entry.token, entry.position],
  located: created.response.headers.get("Location")?.endsWith(entry.id),
  replayed: [
    replayed.response.headers.get("Idempotent-Replay"),
    replayed.data?.data.id === entry.id,
  ],
  pages,
  canceled: canceled.data?.data.status,
  refused: [
    outcome(await create({ name: "", phone: "123" }, main, "typescript-journey-2")),
    outcome(await create(body, connect(READ_KEY))),
    outcome(await cancel(entry.id)),
    outcome(await me(connect(MAIN_KEY, `${FAILING_URL}/region_blocked`))),
    outcome(await me(connect(MAIN_KEY, `${FAILING_URL}/gateway`))),
  ],
};
console.log(JSON.stringify(results));

type Create = operations["createEntry"];
type Body = Create["requestBody"]["content"]["application/json"];
type Conflict = Create["responses"][409]["content"]["application/json"]["error"];
type Query = NonNullable<operations["listEntries"]["parameters"]["query"]>;
/** What the document does not allow does not compile. */
// @ts-expect-error: an unknown field
({ name: "Customer 1", phone: "919800000001", priority: true }) satisfies Body;
// @ts-expect-error: the phone number is required
({ name: "Customer 1" }) satisfies Body;
// @ts-expect-error: not a status of an entry
({ status: "CANCELLED" }) satisfies Query;
// @ts-expect-error: a number
({ limit: "50" }) satisfies Query;
// @ts-expect-error: a text
409 satisfies Conflict["code"];
