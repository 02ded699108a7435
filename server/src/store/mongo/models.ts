import { appointmentStatuses, entryStatuses, scopes } from "@queue-api/contract";
import { type Connection, type Model, Schema, type SchemaDefinitionProperty } from "mongoose";
import {
  type ApiKey,
  type Appointment,
  type AuditSum,
  accountRoles,
  type Business,
  type EarlierPlace,
  type Entry,
  type EntryKey,
  type PasswordLink,
  type Queue,
  type Service,
} from "../../rules/records.js";
import type { Window } from "../../rules/window.js";
import {
  type AppointmentRecord,
  type AuditRecord,
  type BusinessRecord,
  type EntryRecord,
  type ImportRecord,
  type Index,
  indexes,
  primaryKeys,
  type SessionsRecord,
  type Stored,
  type StoredAccount,
  type TableName,
  type Tables,
  type UseNote,
  type WindowsRecord,
} from "../tables.js";

/*
 * The documents of the database. A document is a record, except that
 * - its primary key is its `_id`,
 * - a field that ends an index of some records is absent if it is null,
 * - it has the ids of its last changes, and the audit rows of its changes. Reads leave both out.
 */

/** A document as reads return it. */
export type Doc = { readonly _id: string; readonly version: number } & Readonly<
  Record<string, unknown>
>;

export type Models = Readonly<Record<TableName, Model<Doc>>>;

/** How many audit rows a document may hold until `tidy` moves the oldest ones to the log. */
export const mostAudits = 100;

/* Types of fields. A field without `required` can be null. */

// By default mongoose takes an empty text for a missing one.
Schema.Types.String.checkRequired((value) => typeof value === "string");

const text = { type: String, required: true } as const;
const textOrNull = { type: String, default: null } as const;
/** Absent if it is null, because an index has only the documents with this field. */
const textIfAny = { type: String } as const;
const number = { type: Number, required: true } as const;
const numberOrNull = { type: Number, default: null } as const;
const flag = { type: Boolean, required: true } as const;
const oneOf = (values: readonly string[]) => ({ ...text, enum: values });
const list = (type: SchemaDefinitionProperty) => ({ type: [type], required: true });
const one = (type: Schema) => ({ type, required: true });
const oneOrNull = (type: Schema) => ({ type, default: null });

/** The definition of each field of a record. */
type Fields<Of> = { readonly [Field in keyof Of]-?: SchemaDefinitionProperty };

/** `strict`: an unknown field is an error. By default mongoose leaves it out without a word. */
const strict = { strict: "throw", strictQuery: "throw", id: false, minimize: false } as const;

/** The schema of a part of a document. */
function part<Of>(fields: Fields<Of>): Schema {
  return new Schema(fields as never, { ...strict, _id: false, versionKey: false } as never);
}

/* Businesses */

const queue = part<Queue>({
  ...{ id: text, businessId: text, name: text, tokenSeries: text },
  ...{ isActive: flag, isTokenCreationPaused: flag, revision: number },
});

const service = part<Service>({
  ...{ id: text, businessId: text, name: text },
  ...{ price: numberOrNull, baseTimeMinutes: numberOrNull, active: flag, revision: number },
});

const key = part<ApiKey>({
  ...{ id: text, businessId: text, name: text, purpose: oneOf(["owner", "demo"]) },
  ...{ secretHash: text, scopes: list(oneOf(scopes)), allowIps: list(text) },
  ...{ requestsPerMinute: number, writesPerMinute: number },
  ...{ createdAt: number, expiresAt: numberOrNull, revokedAt: numberOrNull, revision: number },
});

const link = part<PasswordLink>({ tokenHash: text, expiresAt: number });

const account = part<StoredAccount>({
  ...{ id: text, businessId: text, email: text, role: oneOf(accountRoles) },
  ...{ passwordHash: textOrNull, link: oneOrNull(link), createdAt: number, generation: number },
});

const use = part<UseNote>({ id: text, at: number });

const settings: Omit<Fields<Business>, "slug"> = {
  ...{ id: text, name: text, category: textOrNull, timezone: textOrNull, apiAccess: flag },
  ...{ dailyTokenLimit: numberOrNull, sandbox: flag, longWaitMinutes: numberOrNull },
  ...{ displayHash: textIfAny, displayQuery: text, revision: number },
};

const businesses: Omit<Fields<BusinessRecord>, "slug"> = {
  ...settings,
  ...{ added: text, queues: list(queue), services: list(service) },
  ...{ keys: list(key), accounts: list(account), used: list(use) },
};

/* Entries */

const earlierPlace = part<EarlierPlace>({
  ...{ queueId: text, tokenSeries: text, tokenNumber: number },
  ...{ status: oneOf(entryStatuses), startedAt: numberOrNull, calls: number },
  ...{ counter: textOrNull, leftAtRevision: number },
});

const entry: Omit<Fields<Entry>, "id"> = {
  ...{ businessId: text, queueId: text, date: text, tokenSeries: text, tokenNumber: number },
  ...{ status: oneOf(entryStatuses), priority: flag, serviceId: textOrNull },
  ...{ workMinutes: numberOrNull, customerName: textOrNull, customerPhone: textOrNull },
  ...{ phoneIsInternational: flag, issuedAt: number, startedAt: numberOrNull },
  ...{ completedAt: numberOrNull, canceledAt: numberOrNull, revision: number, calls: number },
  ...{ calledAgainAt: numberOrNull, counter: textOrNull, placeInDay: number },
  ...{ earlierPlaces: list(earlierPlace), appointmentId: textIfAny },
};

const keyed = part<EntryKey>({
  ...{ key: text, fingerprint: text, keptUntil: number },
  // An answer that is given again as it is. To check its fields would take half the time of an insert.
  receipt: { type: Schema.Types.Mixed, required: true },
});

const entries: Omit<Fields<EntryRecord>, "id"> = {
  ...entry,
  ...{ tokens: list(text), uses: list(text), keyed: oneOrNull(keyed), changedAt: number },
};

/* Appointments */

const appointment: Omit<Fields<Appointment>, "id"> = {
  ...{ businessId: text, date: text, slotTime: text, durationMinutes: number },
  ...{ status: oneOf(appointmentStatuses), serviceId: textOrNull },
  ...{ customerName: textOrNull, customerPhone: textOrNull, phoneIsInternational: flag },
  ...{ notes: textOrNull, revision: number },
};

const appointments: Omit<Fields<AppointmentRecord>, "id"> = { ...appointment, isRemoved: flag };

/* Sessions, windows, audit rows, imports */

const session = part<SessionsRecord["sessions"][number]>({
  ...{ tokenHash: text, createdAt: number, expiresAt: number, generation: number },
});

const sessions: Omit<Fields<SessionsRecord>, "id"> = {
  ...{ businessId: text, sessions: list(session), endsAt: number },
};

const window = part<Window>({ startedAt: number, count: number });

const windows: Omit<Fields<WindowsRecord>, "id"> = {
  ...{ requests: one(window), writes: oneOrNull(window), endsAt: number },
};

const audit: Omit<Fields<AuditRecord>, "id"> = {
  ...{ businessId: text, keyId: text, account: textOrNull, at: number, method: text, path: text },
  ...{ status: number, ip: text, requestId: text, sumName: textIfAny },
  sum: oneOrNull(part<AuditSum>({ count: number, lastAt: number })),
};

const imports: Omit<Fields<ImportRecord>, "id"> = { at: number };

/* Schemas */

/** The fields of every document beside its record. */
const common = {
  _id: text,
  version: number,
  /** The ids of its last changes, by which a write is recognized whose answer was lost. */
  changes: { ...list(text), select: false },
};

/** An audit row that rides in the document that its request changed; as it is in the log. */
const ridingRow = part({ _id: text, version: number, ...audit });
const riding = { audits: { ...list(ridingRow), select: false } };

const fields: Readonly<Record<TableName, object>> = {
  businesses: { ...businesses, ...riding },
  entries: { ...entries, ...riding },
  appointments: { ...appointments, ...riding },
  ...{ sessions, windows, audit, imports },
};

/** The options of an index of the documents that have a field. */
const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

interface OwnIndex {
  readonly fields: readonly string[];
  /** The fields that are in descending order. Default: none. */
  readonly descending?: readonly string[];
  readonly options?: object;
}

/** Indexes of audit rows in documents: by business, by time, and of the documents that hold too many. */
const auditIndexes: Readonly<Record<string, OwnIndex>> = {
  auditTime: { fields: ["audits.at"], options: having("audits.at") },
  auditsFull: { fields: ["version"], options: having(`audits.${mostAudits}`) },
};
const auditLog = { fields: ["businessId", "audits.at"], options: having("audits.at") };

/**
 * The indexes of this adapter. Those that have the name of an index of `tables.ts` begin with its fields, and hold
 * what counts and lines read, so that no document is read.
 */
const ownIndexes: Readonly<Partial<Record<TableName, Readonly<Record<string, OwnIndex>>>>> = {
  businesses: auditIndexes,
  entries: {
    queue: {
      fields: [
        ...indexes.entries.queue.fields,
        ...["status", "priority", "workMinutes", "startedAt", "completedAt"],
      ],
    },
    line: {
      fields: [
        ...["date", "businessId", "queueId", "priority", "tokenNumber"],
        ...["workMinutes", "issuedAt", "id", "status"],
      ],
      descending: ["priority"],
      options: { partialFilterExpression: { status: "WAITING" } },
    },
    left: {
      fields: ["businessId", "date", "earlierPlaces.queueId"],
      options: having("earlierPlaces.queueId"),
    },
    ...auditIndexes,
    auditLog,
  },
  appointments: { ...auditIndexes, auditLog },
};

function schemaOf(table: TableName): Schema<Doc> {
  const schema = new Schema<Doc>(
    { ...common, ...fields[table] } as never,
    { ...strict, collection: table, versionKey: false } as never,
  );
  const add = (name: string, { fields, descending = [], options = {} }: OwnIndex) => {
    const key = fields.map((field) => {
      return [pathOf(table, field), descending.includes(field) ? -1 : 1] as const;
    });
    schema.index(Object.fromEntries(key), { name, ...options });
  };
  const own = ownIndexes[table] ?? {};
  for (const [name, { fields, unique = false, some = false }] of Object.entries<Index>(
    indexes[table],
  )) {
    if (name in own) continue;
    const last = fields.at(-1) ?? "";
    // A list without items would count as one whose item has no value, and only one document could have it.
    const isPartial = some || (unique && last.includes("."));
    const options = { ...(unique && { unique }), ...(isPartial && having(last)) };
    add(name, { fields, options });
  }
  for (const [name, index] of Object.entries(own)) add(name, index);
  return schema;
}

export function modelsOf(connection: Connection): Models {
  const names = Object.keys(primaryKeys) as TableName[];
  const models = names.map((table) => [table, connection.model<Doc>(table, schemaOf(table))]);
  return Object.fromEntries(models);
}

/* Records and documents */

/** The path in a document of a field of a record. */
export function pathOf(table: TableName, field: string): string {
  return field === primaryKeys[table] ? "_id" : field;
}

/** The fields that are absent if they are null, so that an index does not have the document. */
const absentIfNull = Object.fromEntries(
  Object.entries(indexes).map(([table, of]) => {
    const partial = Object.values<Index>(of).filter(({ some }) => some);
    const last = partial.map(({ fields }) => fields.at(-1) ?? "");
    return [table, last.filter((field) => !field.includes("."))];
  }),
) as unknown as Readonly<Record<TableName, readonly string[]>>;

export function isAbsentIfNull(table: TableName, field: string): boolean {
  return absentIfNull[table].includes(field);
}

/** A record as a document, without its audit rows and changes. */
export function docOf<T extends TableName>(table: T, record: Tables[T], version: number): Doc {
  const { [primaryKeys[table]]: _id, ...rest } = record as unknown as Record<string, unknown>;
  const present = Object.entries(rest).filter(
    ([field, value]) => value !== null || !isAbsentIfNull(table, field),
  );
  return { ...Object.fromEntries(present), _id: String(_id), version };
}

export function recordOf<T extends TableName>(table: T, { _id, ...rest }: Doc): Stored<T> {
  const nulls = Object.fromEntries(absentIfNull[table].map((field) => [field, null]));
  return { ...nulls, ...rest, [primaryKeys[table]]: _id } as unknown as Stored<T>;
}
