import type { Listing } from "../../../server/src/store/port.js";
import type { TableName } from "../../../server/src/store/tables.js";
import { back, today as date, front, tomorrow } from "./records.js";

/*
 * The lists that operations read, of a business.
 */

export type List = readonly [
  table: TableName,
  where: Listing["where"],
  order: NonNullable<Listing["order"]>,
];

export function orderedLists(businessId: string): readonly List[] {
  const line = { businessId, date, queueId: front };
  const isRemoved = false;
  return [
    ["entries", line, ["tokenNumber"]],
    ["entries", { ...line, status: "WAITING" }, ["tokenNumber"]],
    ["entries", { businessId, date }, ["changedAt"]],
    ["entries", { businessId }, ["date", "sequenceInDay"]],
    ["appointments", { businessId, isRemoved, date }, ["slotTime", "id"]],
    ["appointments", { businessId, isRemoved }, ["date", "slotTime", "id"]],
    ["audit", { businessId }, ["at", "id"]],
  ];
}

export function unorderedLists(businessId: string): readonly [TableName, Listing["where"]][] {
  return [
    ["entries", { id: [`${businessId}1`, "none", `${businessId}6`] }],
    ["entries", { id: [] }],
    ["entries", { businessId, appointmentId: ["a", "b"] }],
    ["entries", { businessId, date, queueId: [front, back], status: "IN_SERVICE" }],
    [
      "entries",
      {
        businessId,
        date: [date, tomorrow],
        queueId: [front, back],
        status: ["WAITING", "NO_SHOW"],
      },
    ],
    ["entries", { businessId, uses: back }],
    ["sessions", { businessId }],
    ["windows", { id: ["a", "b"] }],
    ["imports", { id: ["a", "b"] }],
  ];
}
