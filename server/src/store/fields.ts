import { appointmentStatuses, entryStatuses, scopes } from "@queue-api/contract";
import {
  type Account,
  type ApiKey,
  type AuditSum,
  accountRoles,
  type EarlierToken,
  type EntryKey,
  type PasswordLink,
  type Queue,
  type Service,
} from "../rules/records.js";
import type { Window } from "../rules/window.js";
import type { SessionsRecord, TableName, Tables, UseNote } from "./tables.js";

/*
 * How the fields of each record are stored. SQLite makes its tables of it, MongoDB the schemas of its documents. The
 * compiler requires every field.
 */

/** A field of a record, or of an object or an item of a list in it. */
export interface Field {
  /** `split` is an object whose fields are indexed. `json` is an object that is stored as it is. */
  readonly type: "text" | "number" | "flag" | "list" | "object" | "split" | "json";
  /** Default false. */
  readonly isNullable?: boolean;
  /** The only values of a text. Default: any. */
  readonly values?: readonly string[];
  /** The fields of an object, or of each item of a list. */
  readonly fields?: Fields;
  /** The items of a list that are no objects. */
  readonly item?: Field;
}

export type Fields = Readonly<Record<string, Field>>;

type FieldsOf<Row> = { readonly [Name in keyof Row]-?: Field };

const text = { type: "text" } as const;
const number = { type: "number" } as const;
const flag = { type: "flag" } as const;
const json = { type: "json" } as const;
const oneOf = (values: readonly string[]): Field => ({ ...text, values });
const orNull = (field: Field): Field => ({ ...field, isNullable: true });
const listOf = (item: Field): Field => ({ type: "list", item });
const list = <Item>(fields: FieldsOf<Item>): Field => ({ type: "list", fields });
const object = <Row>(fields: FieldsOf<Row>): Field => ({ type: "object", fields });
const split = <Row>(fields: FieldsOf<Row>): Field => ({ type: "split", fields });

const window = object<Window>({ startedAt: number, count: number });

export const fields: { readonly [T in TableName]: FieldsOf<Tables[T]> } = {
  businesses: {
    slug: text,
    id: text,
    added: text,
    name: text,
    category: orNull(text),
    timezone: orNull(text),
    apiAccess: flag,
    dailyTokenLimit: orNull(number),
    sandbox: flag,
    longWaitMinutes: orNull(number),
    displayHash: orNull(text),
    displayQuery: text,
    queues: list<Queue>({
      id: text,
      businessId: text,
      name: text,
      tokenSeries: text,
      isActive: flag,
      isTokenCreationPaused: flag,
      revision: number,
    }),
    services: list<Service>({
      id: text,
      businessId: text,
      name: text,
      price: orNull(number),
      baseTimeMinutes: orNull(number),
      active: flag,
      revision: number,
    }),
    keys: list<ApiKey>({
      id: text,
      businessId: text,
      name: text,
      purpose: oneOf(["owner", "demo"]),
      secretHash: text,
      scopes: listOf(oneOf(scopes)),
      allowIps: listOf(text),
      requestsPerMinute: number,
      writesPerMinute: number,
      createdAt: number,
      expiresAt: orNull(number),
      revokedAt: orNull(number),
      revision: number,
    }),
    accounts: list<Account>({
      id: text,
      businessId: text,
      email: text,
      passwordHash: orNull(text),
      link: orNull(object<PasswordLink>({ tokenHash: text, expiresAt: number })),
      role: oneOf(accountRoles),
      createdAt: number,
      generation: number,
    }),
    used: list<UseNote>({ id: text, at: number }),
  },
  entries: {
    id: text,
    businessId: text,
    queueId: text,
    date: text,
    tokenSeries: text,
    tokenNumber: number,
    status: oneOf(entryStatuses),
    priority: flag,
    serviceId: orNull(text),
    workMinutes: orNull(number),
    customerName: orNull(text),
    customerPhone: orNull(text),
    phoneIsInternational: flag,
    issuedAt: number,
    startedAt: orNull(number),
    completedAt: orNull(number),
    canceledAt: orNull(number),
    revision: number,
    calls: number,
    calledAgainAt: orNull(number),
    counter: orNull(text),
    sequenceInDay: number,
    earlierTokens: list<EarlierToken>({
      queueId: text,
      tokenSeries: text,
      tokenNumber: number,
      status: oneOf(entryStatuses),
      startedAt: orNull(number),
      calls: number,
      counter: orNull(text),
      leftAtRevision: number,
    }),
    appointmentId: orNull(text),
    tokens: listOf(text),
    uses: listOf(text),
    changedAt: number,
    // To check the fields of the receipt would take half the time of an insert.
    keyed: orNull(
      split<EntryKey>({ key: text, fingerprint: text, receipt: json, keptUntil: number }),
    ),
  },
  appointments: {
    id: text,
    businessId: text,
    date: text,
    slotTime: text,
    durationMinutes: number,
    status: oneOf(appointmentStatuses),
    serviceId: orNull(text),
    customerName: orNull(text),
    customerPhone: orNull(text),
    phoneIsInternational: flag,
    notes: orNull(text),
    revision: number,
    isRemoved: flag,
    checkInAt: orNull(number),
  },
  sessions: {
    id: text,
    businessId: text,
    sessions: list<SessionsRecord["sessions"][number]>({
      tokenHash: text,
      createdAt: number,
      expiresAt: number,
      generation: number,
    }),
    endsAt: number,
  },
  windows: { id: text, requests: window, writes: orNull(window), endsAt: number },
  audit: {
    id: text,
    businessId: text,
    keyId: text,
    account: orNull(text),
    at: number,
    method: text,
    path: text,
    status: number,
    ip: text,
    requestId: text,
    sum: orNull(object<AuditSum>({ count: number, lastAt: number })),
    sumName: orNull(text),
  },
  imports: { id: text, at: number },
};
