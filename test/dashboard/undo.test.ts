import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { cardOf, lineOf, messageOn } from "./support/board.js";
import { busyDesk } from "./support/quick-sign-in.js";

const service = await testService();

const undoOn = (page: string) => /name="undo" value="(\w+\.\d+)"/.exec(page)?.[1] ?? "";

test("a message offers an undo, and its button works without a script", async () => {
  const { clinic, visitor } = await busyDesk(service);
  await visitor.submit("/dashboard/board", { call: clinic.entry("first") });
  const { body } = await visitor.get("/dashboard");
  const undo = undoOn(body);
  expect(body).toContain(`value="${undo}">Undo<`);
  expect((await visitor.submit("/dashboard/board", { undo })).status).toBe(303);
  const after = (await visitor.get("/dashboard")).body;
  expect(messageOn(after).text).toBe("A5, Person first, waits in the same place again.");
  expect(lineOf(cardOf(after, clinic.queue()))).toEqual(["A7", "A5", "A6"]);
});

test("an undo must name the revision that it takes back", async () => {
  const { clinic, visitor } = await busyDesk(service);
  const { status } = await visitor.submit("/dashboard/board", { undo: clinic.entry("served") });
  expect(status).toBe(404);
});

test("an undo takes back a cancellation by the API, and the replay of the creation does not change", async () => {
  const { clinic, visitor } = await busyDesk(service);
  const api = clinic.client();
  const created = await api.create(clinic.queue(), undefined, "visit-0001");
  await api.cancel(created.data.id);
  const { body } = await visitor.get(`/dashboard/board/people/${created.data.id}`);
  await visitor.submit("/dashboard/board", { undo: undoOn(body) });
  const { text } = messageOn((await visitor.get("/dashboard")).body);
  expect(text).toBe("A8, Customer 1, waits in the same place again.");
  const again = await api.create(clinic.queue(), undefined, "visit-0001");
  expect(again.headers.get("Idempotent-Replay")).toBe("true");
  expect(again.data).toEqual(created.data);
  const entry = (await api.entry(created.data.id)).data;
  expect(entry).toEqual({ ...created.data, predictedWaitMinutes: entry.predictedWaitMinutes });
});
