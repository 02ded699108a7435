import type * as contract from "@queue-api/contract";
import type * as sdk from "@queue-api/sdk";
import type { SeedInput as ServerSeedInput } from "@queue-api/server";
import {
  type FaultOptions,
  fakes,
  type KeyOptions,
  type MockOptions,
  mockQueueApi,
  type QueueApiMock,
  type RouteName,
  type SeedInput,
} from "@queue-api/testkit";
import { expect, expectTypeOf, it } from "vitest";
import clinic from "./clinic.json" with { type: "json" };

/*
 * `npm run check` compiles this file; `@ts-expect-error` fails there when the line below it compiles.
 */

it("knows the refs of its default seed", () => {
  const { ids } = mockQueueApi({ clock: "2026-11-21T04:30Z" });
  expect(ids.queue("front")).toEqual(expect.any(String));
  // @ts-expect-error: no queue has this ref
  expect(() => ids.queue("frnt")).toThrow(RangeError);
});

it("knows the refs of an inline seed", () => {
  const mock = mockQueueApi({
    seed: {
      businesses: [
        {
          slug: "north",
          name: "North",
          services: [{ ref: "xray", name: "X-ray" }],
          queues: [
            { ref: "front", name: "Front", entries: [{ ref: "first" }, {}] },
            { ref: "back", name: "Back" },
          ],
          appointments: [{ ref: "morning" }],
          keys: [{ ref: "kiosk", name: "Kiosk" }],
        },
        { slug: "south", name: "South" },
      ],
    },
  });
  const { ids, key } = mock;
  type Slug = "north" | "south" | undefined;
  expectTypeOf(ids.business).parameter(0).toEqualTypeOf<Slug>();
  expectTypeOf(ids.service).parameter(0).toEqualTypeOf<"xray">();
  expectTypeOf(ids.queue).parameters.toEqualTypeOf<[ref: "front" | "back", slug?: Slug]>();
  expectTypeOf(ids.entry).parameter(0).toEqualTypeOf<"first">();
  expectTypeOf(ids.appointment).parameter(0).toEqualTypeOf<"morning">();
  expectTypeOf(key).parameters.toEqualTypeOf<[ref?: "kiosk" | undefined, slug?: Slug]>();
  // @ts-expect-error: this is the ref of a queue
  expect(() => ids.entry("front")).toThrow(RangeError);
});

it("accepts any ref if the seed is known only at run time", () => {
  const seed: SeedInput = {
    businesses: [{ slug: "north", name: "North", queues: [{ ref: "front", name: "Front" }] }],
  };
  const mock = mockQueueApi({ seed });
  expectTypeOf(mock.ids.queue).parameter(0).toEqualTypeOf<string>();
  expect(mock.ids.queue("front")).toEqual(expect.any(String));
  expectTypeOf(mockQueueApi({} as MockOptions)).toEqualTypeOf<QueueApiMock>();
});

it("refuses a field that a seed does not have", () => {
  expect(() =>
    mockQueueApi({
      // @ts-expect-error: the field is tokenSeries
      seed: { businesses: [{ slug: "a", name: "A", queues: [{ name: "Q", tokenSerie: "B" }] }] },
    }),
  ).toThrow("tokenSerie");
  const slug = "a";
  const name = "A";
  expect(() =>
    mockQueueApi({
      // @ts-expect-error: no entry has this status
      seed: { businesses: [{ slug, name, queues: [{ name, entries: [{ status: "LATE" }] }] }] },
    }),
  ).toThrow("status");
});

it("accepts a seed from a JSON file, where TypeScript does not know the words", () => {
  const mock = mockQueueApi({ seed: clinic });
  expectTypeOf(mock.ids.queue).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(mock.ids.entry).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(mock.ids.appointment).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(mock.key).parameter(0).toEqualTypeOf<string | undefined>();
  const { ids } = mock;
  const known = [
    ids.queue("front"),
    ids.entry("first"),
    ids.appointment("morning"),
    mock.key("kiosk"),
  ];
  for (const id of known) expect(id).toEqual(expect.any(String));
  expect(() => ids.queue("frnt")).toThrow("their refs: front");
});

it("fits the types of the SDK", () => {
  const entry = fakes.entry();
  expectTypeOf(fakes.promise(entry)).toExtend<sdk.ApiPromise<sdk.Entry>>();
  expectTypeOf(fakes.failure(new Error("no"))).toExtend<sdk.ApiPromise<sdk.Entry>>();
  expectTypeOf(fakes.list([entry])).toExtend<Members<sdk.Pages<sdk.Entry>>>();
  expectTypeOf(fakes.watch([1])).toExtend<sdk.Iteration<number>>();
});

it("knows the items of a faked list", () => {
  type List = () => sdk.Pages<sdk.Entry>;
  const one: List = () => fakes.list([fakes.entry()], { pageSize: 1 });
  const none: List = () => fakes.list([]);
  // @ts-expect-error: the items are entries
  const queues: List = () => fakes.list([fakes.queue()]);
  // @ts-expect-error: no text
  const text: () => string = () => fakes.list([1]);
  expectTypeOf(fakes.list([1]).all()).resolves.toEqualTypeOf<number[]>();
  const failed: List = () => fakes.failure(new Error("no"));
  for (const make of [one, none, queues, text, failed]) expect(make()).toBeInstanceOf(Promise);
});

it("knows the fields of a fixed answer", () => {
  const { answers } = mockQueueApi();
  // @ts-expect-error: not a field of an entry
  expect(() => answers.next("GET /v1/entries/:entryId", { color: "red" })).toThrow(RangeError);
  // @ts-expect-error: not a word
  expect(() => answers.next("GET /v1/entries/:entryId", { status: 7 })).toThrow(RangeError);
  answers.next("GET /v1/entries/:entryId", { status: "ON_HOLD" });
  // @ts-expect-error: a list
  expect(() => answers.next("GET /v1/queues", { name: "Front desk" })).toThrow(RangeError);
  // @ts-expect-error: a route without a key
  expect(() => answers.next("GET /v1", {})).toThrow(RangeError);
});

it("requires the options that a fault needs", () => {
  const { faults } = mockQueueApi();
  // @ts-expect-error: by is required
  expect(() => faults.next("GET /v1/me", "slow")).toThrow("by is required");
  // @ts-expect-error: by is required
  expect(() => faults.next("GET /v1/me", "slow", { times: 2 })).toThrow("by is required");
  // @ts-expect-error: there is no such route
  expect(() => faults.next("GET /v1/mee", "html")).toThrow(RangeError);
  // @ts-expect-error: there is no such code
  expect(() => faults.next("*", "status", { code: "queue_closed" })).toThrow(RangeError);
  faults.next("*", "slow", { by: "3s", times: 2 });
  faults.next("*", "html");
  expect(faults.pending).toBe(3);
});

it("accepts undefined for an option that is left out", async () => {
  const { faults, answers, keys } = mockQueueApi();
  const times = undefined;
  faults.next("*", "reset-before", { times });
  faults.next("*", "truncated", { times, bytes: undefined });
  faults.next("*", "html", { times, status: undefined });
  faults.next("*", "rate-limited", { times, retryAfterSeconds: undefined });
  const status = { status: undefined, code: undefined, retryAfterSeconds: undefined };
  faults.next("*", "status", { times, ...status });
  const options = { times, nextCursor: undefined };
  answers.next("GET /v1/queues/:queueId/entries", [], options);
  answers.next("POST /v1/queues/:queueId/entries", {}, { times, replay: undefined });
  expect([faults.pending, answers.pending]).toEqual([5, 2]);
  await keys.create({ name: undefined, scopes: undefined });
  const facts = { status: undefined, requestId: undefined, replayed: undefined };
  expect(await fakes.promise(1, { ...facts, attempts: undefined })).toBe(1);
  const list = fakes.list([1, 2], { pageSize: undefined });
  expect(await list.all({ max: undefined })).toEqual([1, 2]);
});

it("has the types of the SDK and of the contract", () => {
  expectTypeOf(fakes.entryWithPosition()).toEqualTypeOf<sdk.EntryWithPosition>();
  type Code = FaultOptions["status"]["code"];
  expectTypeOf<Exclude<Code, undefined>>().toEqualTypeOf<contract.ErrorCode>();
  expectTypeOf<KeyOptions["scopes"][number]>().toEqualTypeOf<contract.Scope>();
  expectTypeOf<RouteName>().toEqualTypeOf<contract.RouteName>();
  expectTypeOf<Writable<SeedInput>>().toEqualTypeOf<Writable<ServerSeedInput>>();
});

/** What a class shows: without its private members, which make every other class another type. */
type Members<Class> = { [Name in keyof Class]: Class[Name] };

/** The only difference: the kit's seed is read-only. */
type Writable<Value> = Value extends readonly (infer Item)[]
  ? Writable<Item>[]
  : Value extends object
    ? { -readonly [Field in keyof Value]: Writable<Value[Field]> }
    : Value;
