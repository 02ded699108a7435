/*
 * What a record consists of. Its type follows from its fields, and so do the table of SQLite and the schema of the
 * documents of MongoDB.
 */

/** A field of a record, or of an object or an item of a list in it. Its values have the type `Value`. */
export interface Field<Value = unknown> {
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
  /** No field has it. It carries the type. */
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Field>>;

/** The record that has these fields. */
export type RecordOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

export const text: Field<string> = { type: "text" };
export const number: Field<number> = { type: "number" };
export const flag: Field<boolean> = { type: "flag" };

export function oneOf<Name extends string>(values: readonly Name[]): Field<Name> {
  return { type: "text", values };
}

export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return { ...field, isNullable: true };
}

export function listOf<Value>(item: Field<Value>): Field<readonly Value[]> {
  return { type: "list", item };
}

export function list<F extends Fields>(fields: F): Field<readonly RecordOf<F>[]> {
  return { type: "list", fields };
}

export function object<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return { type: "object", fields };
}

export function split<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return { type: "split", fields };
}

export function json<Value>(): Field<Value> {
  return { type: "json" };
}
