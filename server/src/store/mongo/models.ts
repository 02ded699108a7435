import { type Connection, type Model, Schema, type SchemaDefinitionProperty } from "mongoose";
import type { Field, Fields } from "../../rules/fields.js";
import {
  audited,
  type Index,
  indexes,
  primaryKeys,
  type Stored,
  type TableName,
  type Tables,
  tableFields,
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

/** How many audit rows a document may hold until `maintain` moves the oldest ones to the log. */
export const maxEmbeddedAuditRows = 100;

// By default mongoose takes an empty text for a missing one.
Schema.Types.String.checkRequired((value) => typeof value === "string");

/** `strict`: an unknown field is an error. By default mongoose leaves it out without a word. */
const strict = { strict: "throw", strictQuery: "throw", id: false, minimize: false } as const;

const text = { type: String, required: true } as const;

/** The definition of a field. `isAbsent`: whether it is absent if it is null. */
function definitionOf(field: Field, isAbsent = false): object {
  const { values, isNullable } = field;
  return {
    type: typeOf(field),
    ...(values && { enum: values }),
    ...(!isNullable && { required: true }),
    ...(isNullable && !isAbsent && { default: null }),
  };
}

function typeOf({ type, fields = {}, item }: Field): SchemaDefinitionProperty {
  switch (type) {
    case "number":
      return Number;
    case "flag":
      return Boolean;
    case "json":
      return Schema.Types.Mixed;
    case "object":
    case "split":
      return part(fields);
    case "list":
      return [item ? definitionOf(item) : part(fields)];
    default:
      return String;
  }
}

/** The schema of a part of a document. */
function part(fields: Fields): Schema {
  const definitions = Object.entries(fields).map(([name, field]) => [name, definitionOf(field)]);
  return partOf(Object.fromEntries(definitions));
}

function partOf(definitions: object): Schema {
  return new Schema(definitions as never, { ...strict, _id: false, versionKey: false } as never);
}

/** The definitions of the fields of a record, and of its version. */
function documentOf(table: TableName): object {
  const { [primaryKeys[table]]: _, ...others } = tableFields[table] as Fields;
  const definitions = Object.entries(others).map(([name, field]) => {
    return [name, definitionOf(field, isAbsentIfNull(table, name))];
  });
  return {
    _id: text,
    version: { type: Number, required: true },
    ...Object.fromEntries(definitions),
  };
}

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
  auditsFull: { fields: ["version"], options: having(`audits.${maxEmbeddedAuditRows}`) },
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
      fields: ["businessId", "date", "earlierTokens.queueId"],
      options: having("earlierTokens.queueId"),
    },
    ...auditIndexes,
    auditLog,
  },
  appointments: { ...auditIndexes, auditLog },
};

function schemaOf(table: TableName): Schema<Doc> {
  const definitions = {
    ...documentOf(table),
    /** The ids of its last changes, by which a write is recognized whose response was lost. */
    changes: { type: [text], required: true, select: false },
    /** The audit rows of its last changes, as they are in the log. */
    ...(table in audited && {
      audits: { type: [partOf(documentOf("audit"))], required: true, select: false },
    }),
  };
  const options = { ...strict, collection: table, versionKey: false };
  const schema = new Schema<Doc>(definitions as never, options as never);
  const add = (name: string, { fields, descending = [], options = {} }: OwnIndex) => {
    const key = fields.map((field) => {
      return [documentPath(table, field), descending.includes(field) ? -1 : 1] as const;
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
export function documentPath(table: TableName, field: string): string {
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
