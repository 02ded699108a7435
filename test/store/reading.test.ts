import { describe, expect, it } from "vitest";
import type { Store } from "../../server/src/operations/store.js";
import { adapters, start } from "./support/adapters.js";
import {
  appointment,
  back,
  clinic,
  entry,
  front,
  id,
  salon,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** Names that a faulty store truncates or changes. */
const awkwardNames = [
  "Zoë ☕ 👩‍👩‍👧‍👦",
  "e\u0301 is not \u00e9",
  "\u0000starts with NUL",
  "ends with NUL\u0000",
  "a\u0000b\u0001\u001f\u007f",
  `"quotes" \\ and 'more'`,
  "\ufeffmark \u2028 \u202e",
  "\u{10ffff}",
  " ",
];

describe.each(adapters)("reading from the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** A clinic with these entries at its front desk. */
  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    return (await opened.with({ entries })).store;
  }

  it.each(awkwardNames)("returns %j exactly as it was stored", async (name) => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("named", { customerName: name }));
    expect((await store.entries.get(clinic.id, id("named")))?.entry.customerName).toBe(name);
    const page = await store.entries.page(clinic.id, front.id, today, null, {
      limit: 1,
      after: null,
    });
    expect(page).toMatchObject({ items: [{ entry: { customerName: name } }] });
  });

  it("continues a page at the place of its cursor, and refuses the cursor of another list", async () => {
    const store = await withEntries([1, 2, 3, 4, 5].map((number) => entry(number)));
    const read = (after: string | null, queueId = front.id) =>
      store.entries.page(clinic.id, queueId, today, null, { limit: 2, after });
    const first = await read(null);
    if (typeof first === "string") throw new Error(first);
    expect(first.nextCursor).toMatch(/^[a-zA-Z0-9]{20,32}$/);
    await store.entries.transfer(clinic.id, entry(2).id, back.id); // the last one of the page
    const second = await read(first.nextCursor);
    expect(second).toMatchObject({ items: [{ entry: entry(3) }, { entry: entry(4) }] });
    await store.entries.move(clinic.id, entry(2).id, "undo", start);
    expect(await read(first.nextCursor)).toMatchObject({ items: [{}, { entry: entry(4) }] });
    expect(await read(first.nextCursor, back.id)).toBe("cursor_unknown");
    expect(await read(first.nextCursor, id("nothing"))).toBe("queue_not_found");
    expect(await read(id("nobody"))).toBe("cursor_unknown");
  });

  const visits = ["09:00", "09:15", "09:30", "09:45"].map((slotTime, n) =>
    appointment(`visit${n + 1}`, { slotTime, serviceId: null }),
  );
  const moving = visits[1]?.id ?? "";

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["moved to an earlier time", (store) => moveTo(store, { slotTime: "08:00" })],
    ["moved to another day", (store) => moveTo(store, { date: tomorrow })],
    [
      "moved and moved back",
      async (store) => {
        await moveTo(store, { date: tomorrow });
        await moveTo(store, { date: today });
      },
    ],
    ["removed", (store) => store.appointments.remove(clinic.id, moving)],
  ])("continues a page of appointments when the last one was %s", async (_, change) => {
    const { store } = await opened.with({ appointments: visits });
    const read = (after: string | null, businessId = clinic.id) =>
      store.appointments.page(businessId, today, { limit: 2, after });
    const first = await read(null);
    if (typeof first === "string") throw new Error(first);
    expect(first.nextCursor).toMatch(/^[a-zA-Z0-9]{20,32}$/);
    await change(store);
    const second = await read(first.nextCursor);
    if (typeof second === "string") throw new Error(second);
    const rest = second.items.map(({ appointment: { slotTime } }) => slotTime);
    expect(rest).toEqual(["09:30", "09:45"]);
    expect(second.nextCursor).toBeNull();
    expect(await read(first.nextCursor, salon.id)).toBe("cursor_unknown");
  });

  function moveTo(store: Store, to: Parameters<Store["appointments"]["change"]>[2]) {
    return store.appointments.change(clinic.id, moving, to);
  }
});
