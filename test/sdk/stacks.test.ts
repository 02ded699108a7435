import { describe, expect, test } from "vitest";
import { QueueApi } from "../../sdk/src/index.js";
import { anError, apiKey, entryId, queueId } from "./support/examples.js";

const fetch = async () => Response.json(anError("not_found"), { status: 404 });
const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });

describe("the stack of an error names the caller's function when it", () => {
  const callers: Readonly<Record<string, () => Promise<unknown>>> = {
    async awaitsACall() {
      await api.entries.get(entryId);
    },
    async loopsOverItems() {
      for await (const _ of api.entries.list(queueId));
    },
    async loopsOverPages() {
      for await (const _ of api.entries.list(queueId).pages());
    },
    async awaitsAList() {
      await api.entries.list(queueId);
    },
    async watches() {
      for await (const _ of api.entries.watch(queueId));
    },
    async sendsAnyRequest() {
      await api.request("GET", "/v1/tickets");
    },
  };

  test.each(Object.entries(callers))("%s", async (name, call) => {
    const error = await call().catch((error: unknown) => error);
    expect((error as Error).stack).toMatch(/^NotFoundError: /);
    expect((error as Error).stack).toContain(name);
  });
});
