import type * as contract from "@queue-api/contract";
import type { SeedInput as ServerSeedInput } from "@queue-api/server";
import {
  type Appointment,
  type Entry,
  type ErrorCode,
  type FaultArguments,
  type MockOptions,
  mockQueueApi,
  type Queue,
  type QueueApiMock,
  type RouteName,
  type Scope,
  type SeedInput,
} from "@queue-api/testkit";
import { expect, expectTypeOf, it } from "vitest";

/*
 * `npm run check` compiles this file; `@ts-expect-error` fails there when the line below it compiles.
 */

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
  for (const id of [
    mock.ids.business("south"),
    mock.ids.service("xray"),
    mock.ids.queue("front"),
    mock.ids.queue("back", "north"),
    mock.ids.entry("first"),
    mock.ids.appointment("morning"),
    mock.key("kiosk"),
    mock.key(undefined, "north"),
  ]) {
    expect(id).toEqual(expect.any(String));
  }
  // @ts-expect-error: no queue has this ref
  expect(() => mock.ids.queue("frnt")).toThrow(RangeError);
  // @ts-expect-error: this is the ref of a queue
  expect(() => mock.ids.entry("front")).toThrow(RangeError);
  // @ts-expect-error: no service has this ref
  expect(() => mock.ids.service("x-ray")).toThrow(RangeError);
  // @ts-expect-error: no appointment has this ref
  expect(() => mock.ids.appointment("evening")).toThrow(RangeError);
  // @ts-expect-error: no key has this ref
  expect(() => mock.key("kisok")).toThrow(RangeError);
  // @ts-expect-error: no business has this slug
  expect(() => mock.ids.queue("front", "west")).toThrow(RangeError);
});

it("knows the refs of its default seed", () => {
  const mock = mockQueueApi({ clock: "2026-11-21T04:30Z" });
  expect(mock.ids.queue("front")).toEqual(expect.any(String));
  // @ts-expect-error: no queue has this ref
  expect(() => mock.ids.queue("frnt")).toThrow(RangeError);
  // @ts-expect-error: no key has this ref
  expect(() => mock.key("kisok")).toThrow(RangeError);
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

it("accepts a mock with known refs where any refs are allowed", () => {
  const mock: QueueApiMock = mockQueueApi();
  expect(mock.key("kiosk")).toEqual(expect.any(String));
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
  expectTypeOf<FaultArguments<"html">["length"]>().toEqualTypeOf<0 | 1>();
});

it("has the types of the contract", () => {
  expectTypeOf<Entry>().toEqualTypeOf<contract.Entry>();
  expectTypeOf<Queue>().toEqualTypeOf<contract.Queue>();
  expectTypeOf<Appointment>().toEqualTypeOf<contract.Appointment>();
  expectTypeOf<ErrorCode>().toEqualTypeOf<contract.ErrorCode>();
  expectTypeOf<Scope>().toEqualTypeOf<contract.Scope>();
  expectTypeOf<RouteName>().toEqualTypeOf<NameOf<typeof contract.routes>>();
  expectTypeOf<Writable<SeedInput>>().toEqualTypeOf<Writable<ServerSeedInput>>();
});

type NameOf<Routes> = {
  [Noun in keyof Routes]: {
    [Name in keyof Routes[Noun]]: Routes[Noun][Name] extends {
      method: infer Method extends string;
      path: infer Path extends string;
    }
      ? `${Method} ${Path}`
      : never;
  }[keyof Routes[Noun]];
}[keyof Routes];

/** The only difference: the kit's seed is read-only. */
type Writable<Value> = Value extends readonly (infer Item)[]
  ? Writable<Item>[]
  : Value extends object
    ? { -readonly [Field in keyof Value]: Writable<Value[Field]> }
    : Value;
