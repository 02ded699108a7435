import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { expectRefusal } from "../support/expect.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { busyClinic, cardOf, lineOf } from "./support/board.js";
import { textOf } from "./support/html.js";
import { boardOpener } from "./support/open-board.js";
import { busyDesk } from "./support/quick-sign-in.js";
import type { Visitor } from "./support/visitor.js";

const service = await testService();

async function open(changes: BusinessSeed = {}) {
  const { clinic, visitor } = await busyDesk(service, changes);
  return { clinic, visitor, ...counterOf(clinic, visitor) };
}

/** The actions without a script: reads a card, transfers its person, and undoes the transfer. */
function counterOf(clinic: Clinic, visitor: Visitor) {
  const card = async (id: string) => (await visitor.get(`/dashboard/board/people/${id}`)).body;
  const valueIn = (page: string, verb: string) =>
    new RegExp(`name="${verb}" value="(\\w+\\.\\d+)"`).exec(page)?.[1] ?? "";
  /** Presses a button of a card, and returns the next board. */
  const send = async (verb: string, value: string, queue = "") => {
    const fields = { [verb]: value, ...(queue !== "" && { to: queue }) };
    const { status, location } = await visitor.submit("/dashboard/board", fields);
    return { status, page: location === null ? "" : (await visitor.get(location)).body };
  };
  const move = async (ref: string, queue = clinic.queue("lab")) =>
    send("transfer", valueIn(await card(clinic.entry(ref)), "transfer"), queue);
  return { card, valueIn, send, move };
}

test("a transfer gives a waiting person a new token, and Undo the old token in its position", async () => {
  const { clinic, card, valueIn, send, move } = await open();
  const { page } = await move("first");
  expect(textOf(page)).toContain("A5, Person first, was moved and is L1 now.");
  expect(lineOf(cardOf(page, clinic.queue()))).toEqual(["A7", "A6"]);
  expect(lineOf(cardOf(page, clinic.queue("lab")))).toEqual(["L1"]);
  const moved = textOf(await card(clinic.entry("first")));
  expect(moved).toMatch(/Queue Laboratory State Waiting .*Moved from A5/);
  expect(moved).toContain("Person first");
  expect(moved).not.toContain("Canceled");

  const undone = await send("undo", valueIn(page, "undo"));
  expect(textOf(undone.page)).toContain("A5, Person first, waits in the same place again.");
  expect(lineOf(cardOf(undone.page, clinic.queue()))).toEqual(["A7", "A5", "A6"]);
  expect(lineOf(cardOf(undone.page, clinic.queue("lab")))).toEqual([]);
});

test("the API shows the same entry, waiting with its new token", async () => {
  const { clinic, move } = await open();
  const api = clinic.client();
  const before = (await api.entry(clinic.entry("served"))).data;
  expect(before).toMatchObject({ token: "A4", status: "IN_SERVICE" });
  await move("served");
  const after = (await api.entry(clinic.entry("served"))).data;
  expect(after).toEqual({
    ...before,
    ...{ token: "L1", tokenSeries: "L", tokenNumber: 1, status: "WAITING", startedAt: null },
    ...{ position: 1, predictedWaitMinutes: after.predictedWaitMinutes },
  });
});

test("the undo is refused with a message when the new token was called", async () => {
  const { clinic, card, valueIn, send, move } = await open();
  const first = clinic.entry("first");
  const { page } = await move("first");
  expect(await card(first)).toContain("Undo the move");
  await send("call", first);
  const refused = await send("undo", valueIn(page, "undo"));
  expect(textOf(refused.page)).toContain(
    "L1 was changed by another person in the meantime. Nothing was done",
  );
  expect(await card(first)).not.toContain("Undo the move");
  expect((await clinic.client().entry(first)).data.status).toBe("IN_SERVICE");
});

test.each([
  ["paused", "pause", "A5 was not moved. The queue is paused. Resume it first."],
  ["closed", "close", "A5 was not moved. The queue is closed. Open it first."],
])("a transfer to a queue that is %s is refused", async (_, verb, text) => {
  const { clinic, card, valueIn, send } = await open();
  const seen = valueIn(await card(clinic.entry("first")), "transfer");
  await send(verb, clinic.queue("lab"));
  const refused = await send("transfer", seen, clinic.queue("lab"));
  expect(textOf(refused.page)).toContain(text);
  expect(await card(clinic.entry("first"))).not.toContain('name="transfer"');
});

test("a move is no new token of the day, and a queue of another business does not exist", async () => {
  const { clinic, card, valueIn, send, move } = await open({ dailyTokenLimit: 7 });
  const other = await open();
  const seen = valueIn(await card(clinic.entry("first")), "transfer");
  expect((await send("transfer", seen, other.clinic.queue("lab"))).status).toBe(404);
  expect((await send("transfer", seen, "")).status).toBe(404);
  expect(textOf((await move("first")).page)).toContain(
    "A5, Person first, was moved and is L1 now.",
  );
  expectRefusal(await clinic.client().create(clinic.queue()), 403, "plan_limit_reached");
});

test("statistics count the person once, in the last queue", async () => {
  const { clinic, visitor, send, move } = await open();
  await move("first");
  await send("call", clinic.entry("first"));
  await send("complete", clinic.entry("first"));
  const numbersOf = async (queue: string) => {
    const query = `from=2026-11-21&to=2026-11-21&queue=${clinic.queue(queue)}`;
    const text = textOf((await visitor.get(`/dashboard/statistics?${query}`)).body);
    return /Arrivals (\d+) Completed (\d+) No-shows (\d+) Canceled (\d+)/.exec(text)?.slice(1);
  };
  expect(await numbersOf("lab")).toEqual(["1", "1", "0", "0"]);
  expect(await numbersOf("front")).toEqual(["6", "1", "1", "1"]);
});

describe.skipIf(noBrowser)(
  `moving a person in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { openBoard } = boardOpener(service);

    test("the card transfers a person, keeps the selection while the board changes, and offers to undo it", async () => {
      const clinic = await service.clinic({
        keys: [wideKey],
        queues: [...(busyClinic.queues ?? []), { ref: "xray", name: "X-ray", tokenSeries: "X" }],
      });
      const { page, faults, visitor } = await openBoard(clinic);
      const { send } = counterOf(clinic, visitor);
      await page.getByRole("link", { name: /^A5 / }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Another queue").selectOption("X-ray");
      await send("no-priority", clinic.entry("urgent"));
      await expect.poll(() => dialog.locator(".facts").textContent()).toContain("Place1");
      expect(await dialog.getByLabel("Another queue").inputValue()).toBe(clinic.queue("xray"));
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Move there" }).click();
      await dialog.waitFor({ state: "hidden" });
      await expect
        .poll(() => page.locator(`#line-${clinic.queue("xray")} .token`).allTextContents())
        .toEqual(["X1"]);
      await page.getByRole("link", { name: /^X1 / }).click();
      await expect.poll(() => dialog.locator(".facts").textContent()).toContain("Moved fromA5");
      await dialog.getByRole("button", { name: "Undo the move" }).click();
      await expect
        .poll(() => page.locator(`#line-${clinic.queue()} .token`).allTextContents())
        .toContain("A5");
      expect(faults).toEqual([]);
    });
  },
);
