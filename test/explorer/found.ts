/**
 * Schedules that once failed on MongoDB. If a change of the adapter makes one impossible, rewrite or remove it.
 */
export const found: readonly { readonly what: string; readonly schedule: string }[] = [
  {
    what: "an entry that arrives between two reads is returned as it was created",
    schedule:
      "mongo | a third request after two | 2 | 1 | one: insert idempotency (late), one: find idempotency, two: insert idempotency (late), leases run out, one: insert idempotency 2, one: find idempotency 2, one: insert idempotency arrives, two: find idempotency, two: find entries, two: findAndModify idempotency, two: find idempotency 2, two: insert idempotency arrives, one: find entries, two: find entries 2, two: findAndModify days, two: find idempotency 3, one: findAndModify days, one: find idempotency 3, one: find entries 2, one: insert entries, two: find entries 3",
  },
  {
    what: "an entry that arrives after a recount of its line is counted in the end",
    schedule:
      "mongo | a third request after two | 2 | 1 | one: insert idempotency, one: findAndModify days, leases run out, two: insert idempotency (answer lost), two: find idempotency, two: find entries, two: findAndModify idempotency, one: insert entries (late), one: update idempotency, one: pause, two: find idempotency 2, two: find entries 2, one: insert days, one: report update days, two: findAndModify days, two: find days, two: find entries 3, two: aggregate entries, two: update days, two: findAndModify days 2, two: pause, two: findAndModify days 3, two: find idempotency 3, one: insert entries arrives",
  },
  {
    what: "a number that is assigned after a recount of its line is not counted in the end",
    schedule:
      "mongo | a third request after two | 2 | 1 | one: insert idempotency, two: insert idempotency, one: findAndModify days (late), two: find idempotency, two: find entries, two: findAndModify idempotency, one: update idempotency (late), two: find entries 2, c begins, one: pause, one: insert days, one: report update days, one: update idempotency 2, one: insert idempotency 2, one: find idempotency, one: find entries, one: findAndModify idempotency, one: find idempotency 2, one: find entries 2, one: findAndModify days 2, leases run out, one: find days, one: find entries 3, one: aggregate entries, one: update days, one: findAndModify days 3, one: findAndModify days 4, one: pause 2, one: find idempotency 3, one: find entries 4, one: insert entries",
  },
  {
    what: "an instance that wakes up after the last recount of its line does not exceed the daily limit",
    schedule:
      "mongo | seed 5598 | 2 | 1 | one: insert idempotency (answer lost), one: insert idempotency 2, leases run out, one: findAndModify days, one: find idempotency 2, one dies, y begins, g begins, two: aggregate entries, e begins, two: insert idempotency, two: find idempotency, two: find entries, two: findAndModify idempotency, two: find idempotency 2, two: find entries 2, two: findAndModify days, two: update idempotency",
  },
];
