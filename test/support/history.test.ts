import { describe, expect, it } from "vitest";
import { type Created, History, type Listed } from "./history.js";

const created = (number: number, position = number): Created => ({
  id: `entry${number}`,
  number,
  position,
  text: `answer ${number}`,
});

const listed = (number: number, status = "WAITING"): Listed => ({
  id: `entry${number}`,
  key: `key${number}`,
  number,
  status,
});

const lost = async () => {
  throw new TypeError("the connection was closed");
};

/** Three people join; the second one leaves, and the first one is called. */
async function aDay(history: History): Promise<Listed[]> {
  for (const number of [1, 2, 3]) await history.create(`key${number}`, async () => created(number));
  await history.place("entry3", async () => 3);
  await history.cancel("entry2", async () => true);
  await history.place("entry3", async () => 2);
  await history.place("entry2", async () => null);
  await history.next(async () => "entry1");
  await history.create("key3", async () => created(3));
  return [listed(1, "IN_SERVICE"), listed(2, "CANCELED"), listed(3)];
}

type Change = (history: History, list: Listed[]) => unknown;

describe("a history", () => {
  it("of a sequential queue has no faults", async () => {
    const history = new History();
    expect(history.faults(await aDay(history))).toEqual([]);
  });

  it.each<[string, Change]>([
    ["a lost entry", (_, list) => list.splice(1, 1)],
    ["an entry without a creation", (_, list) => list.push(listed(4))],
    ["a number of two entries", (_, list) => list.push({ ...listed(4), number: 3 })],
    ["two responses", (one) => one.create("key3", async () => ({ ...created(3), text: "other" }))],
    ["a position behind someone who left", (one) => one.place("entry3", async () => 2)],
    ["a position before someone who waits", (one) => one.place("entry3", async () => 0)],
    ["a position of someone who left", (one) => one.place("entry2", async () => 1)],
    ["no position of someone who waits", (one) => one.place("entry3", async () => null)],
    ["two calls of one person", (one) => one.next(async () => "entry1")],
    ["an empty line with someone in it", (one) => one.next(async () => "nobody")],
    ["a canceled entry that waits", (_, list) => list.splice(1, 1, listed(2))],
    ["a cancellation by nobody", (_, list) => list.splice(2, 1, listed(3, "CANCELED"))],
  ])("with %s has a fault", async (_, change) => {
    const history = new History();
    const list = await aDay(history);
    await change(history, list);
    expect(history.faults(list)).not.toEqual([]);
  });

  it.each([
    [1, "CANCELED", 0],
    [2, "CANCELED", 0],
    [1, "WAITING", 1],
    [2, "WAITING", 0],
  ])(
    "at %i behind a cancellation without a response that ends %s has %i faults",
    async (position, status, count) => {
      const history = new History();
      await history.create("key1", async () => created(1));
      await expect(history.cancel("entry1", lost)).rejects.toThrow();
      await history.create("key2", async () => created(2, position));
      expect(history.faults([listed(1, status), listed(2)])).toHaveLength(count);
    },
  );

  it("may contain a creation without a response, stored or not", async () => {
    const history = new History();
    await expect(history.create("key1", lost)).rejects.toThrow();
    expect(history.faults([])).toEqual([]);
    expect(history.faults([listed(1)])).toEqual([]);
  });
});
