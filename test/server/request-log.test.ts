import { pino } from "pino";
import { expect, test } from "vitest";
import { testService } from "../support/service.js";

const lines: Record<string, unknown>[] = [];
const logger = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
const service = await testService({ logger });

test("at level debug, the log names the route of each request, also of a refused one, and never its URL", async () => {
  const clinic = await service.clinic();
  const id = "a".repeat(24);
  await clinic.client().entry(id);
  await clinic.stranger().entry(id);
  await clinic.stranger().get(`/${id}`);
  const keyId = clinic.keyId();
  const ofEntry = { method: "GET", route: "GET /v1/entries/:entryId", msg: "responded" };
  await expect
    .poll(() => lines.slice(-3))
    .toMatchObject([
      { ...ofEntry, status: 404, errorCode: "not_found", keyId },
      { ...ofEntry, status: 401, errorCode: "unauthorized", keyId: null },
      { method: "GET", route: "unmatched", status: 404, errorCode: "not_found", keyId: null },
    ]);
  expect(JSON.stringify(lines)).not.toContain(id);
});
