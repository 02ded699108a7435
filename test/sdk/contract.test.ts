import type * as contract from "@queue-api/contract";
import { describe, expectTypeOf, test } from "vitest";
import type * as sdk from "../../sdk/src/index.js";

describe("the types", () => {
  test("accept every response of the service", () => {
    expectTypeOf<contract.Appointment>().toExtend<sdk.Appointment>();
    expectTypeOf<contract.Customer>().toExtend<sdk.Customer>();
    expectTypeOf<contract.Entry>().toExtend<sdk.Entry>();
    expectTypeOf<contract.EntryWithPosition>().toExtend<sdk.EntryWithPosition>();
    expectTypeOf<contract.Me>().toExtend<sdk.Me>();
    expectTypeOf<contract.Queue>().toExtend<sdk.Queue>();
    expectTypeOf<contract.QueueSummary>().toExtend<sdk.QueueSummary>();
    expectTypeOf<contract.Service>().toExtend<sdk.Service>();
    expectTypeOf<contract.ErrorDetail>().toExtend<sdk.ErrorDetail>();
  });

  test("have exactly the fields of the contract", () => {
    expectTypeOf<keyof sdk.Appointment>().toEqualTypeOf<keyof contract.Appointment>();
    expectTypeOf<keyof sdk.Entry>().toEqualTypeOf<keyof contract.Entry>();
    expectTypeOf<keyof sdk.EntryWithPosition>().toEqualTypeOf<keyof contract.EntryWithPosition>();
    expectTypeOf<keyof sdk.QueueSummary>().toEqualTypeOf<keyof contract.QueueSummary>();
    expectTypeOf<keyof sdk.Service>().toEqualTypeOf<keyof contract.Service>();
    expectTypeOf<sdk.CreateEntryRequest>().toEqualTypeOf<contract.CreateEntryRequest>();
  });

  test("list the known enum values and accept new ones", () => {
    expectTypeOf<contract.EntryStatus>().toExtend<sdk.EntryStatus>();
    expectTypeOf<contract.AppointmentStatus>().toExtend<sdk.AppointmentStatus>();
    expectTypeOf<contract.ErrorCode>().toExtend<sdk.ErrorCode>();
    expectTypeOf<"TELEPORTED">().toExtend<sdk.EntryStatus>();
    expectTypeOf<"a_code_of_tomorrow">().toExtend<sdk.ErrorCode>();
    expectTypeOf<number>().not.toExtend<sdk.EntryStatus>();
  });
});
