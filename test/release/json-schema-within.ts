import { isDeepStrictEqual } from "node:util";

/** A JSON Schema, or a part of an OpenAPI document: plain JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** Keywords that do not restrict values. */
const words = new Set([
  "description",
  "title",
  "examples",
  "example",
  "default",
  "deprecated",
  "x-extensible-enum", // the known values of an open string
]);

/** Bounds, and whether the bound of the narrower schema must be at least or at most as large. */
const bounds: Readonly<Record<string, "least" | "most">> = {
  minimum: "least",
  minLength: "least",
  minItems: "least",
  maximum: "most",
  maxLength: "most",
  maxItems: "most",
};

/** The keywords that are compared individually. All others must be equal in both schemas. */
const understood = new Set([
  ...words,
  ...Object.keys(bounds),
  "type",
  "anyOf",
  "enum",
  "const",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "$ref",
]);

/** The options of a comparison. */
export interface Comparing {
  /** Resolve a reference in the narrower and in the wider schema. */
  readonly narrow: (ref: string) => Json;
  readonly wide: (ref: string) => Json;
  /**
   * Whether the schemas describe responses. Readers of responses ignore unknown fields, and need the optional
   * fields that they know.
   */
  readonly answers: boolean;
  /** Paths where a new value breaks no caller, such as the code of an error. */
  readonly isOpen: (place: string) => boolean;
}

/**
 * Returns the reasons why a value of the narrower schema might not match the wider one; none if every value
 * matches. It is conservative: anything that it does not understand is a reason.
 */
export function whyNotWithin(
  narrow: Json,
  wide: Json,
  place: string,
  comparing: Comparing,
): string[] {
  const narrows = alternatives(narrow, comparing.narrow);
  const wides = alternatives(wide, comparing.wide);
  return narrows.flatMap((one) => {
    const reasons = wides.map((other) => reasonsOf(one, other, place, comparing));
    if (reasons.some((list) => list.length === 0)) return [];
    // The reasons are useful for branches of the same type. For others, report only that they differ.
    const alike = reasons.find((_, at) => wides[at]?.type === one.type);
    return alike ?? [`${place}: may be ${one.type ?? "anything"}, which it could not be`];
  });
}

function alternatives(schema: Json, follow: (ref: string) => Json): Json[] {
  if (typeof schema.$ref === "string") return alternatives(follow(schema.$ref), follow);
  if (Array.isArray(schema.anyOf)) {
    const { anyOf: _, ...common } = schema;
    return schema.anyOf.flatMap((one: Json) => alternatives({ ...common, ...one }, follow));
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

function reasonsOf(narrow: Json, wide: Json, place: string, comparing: Comparing): string[] {
  const sameType =
    wide.type === undefined ||
    narrow.type === wide.type ||
    (narrow.type === "integer" && wide.type === "number");
  if (!sameType) return [`${place}: is ${narrow.type ?? "anything"}, and was ${wide.type}`];
  return [
    ...valueReasons(narrow, wide, place, comparing),
    ...boundReasons(narrow, wide, place),
    ...fieldReasons(narrow, wide, place, comparing),
    ...itemReasons(narrow, wide, place, comparing),
    ...otherReasons(narrow, wide, place),
  ];
}

function valueReasons(narrow: Json, wide: Json, place: string, { isOpen }: Comparing): string[] {
  const allowed = valuesOf(wide);
  if (!allowed || isOpen(place)) return [];
  const given = valuesOf(narrow);
  if (!given) return [`${place}: is any value, and was one of ${allowed.join(", ")}`];
  const strange = given.filter((value) => !allowed.includes(value));
  return strange.map((value) => `${place}: the value ${value} is on one side only`);
}

function valuesOf(schema: Json): readonly unknown[] | null {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

function boundReasons(narrow: Json, wide: Json, place: string): string[] {
  return Object.entries(bounds).flatMap(([name, side]) => {
    const limit = wide[name];
    if (typeof limit !== "number") return [];
    const given = narrow[name];
    const inside =
      typeof given === "number" && (side === "least" ? given >= limit : given <= limit);
    return inside ? [] : [`${place}: ${name} is ${limit} on one side and ${given} on the other`];
  });
}

function fieldReasons(narrow: Json, wide: Json, place: string, comparing: Comparing): string[] {
  const given = fieldsOf(narrow);
  const known = fieldsOf(wide);
  const isRequired = (schema: Json, name: string) =>
    Array.isArray(schema.required) && schema.required.includes(name);
  const fromKnown = Object.entries(known).flatMap(([name, schema]) => {
    const at = `${place}.${name}`;
    const own = given[name];
    if (!own) {
      const missed = comparing.answers || isRequired(wide, name);
      return missed ? [`${at}: is on one side only`] : [];
    }
    const optional = isRequired(wide, name) && !isRequired(narrow, name);
    return [
      ...(optional ? [`${at}: is required on one side only`] : []),
      ...whyNotWithin(own, schema, at, comparing),
    ];
  });
  if (wide.additionalProperties !== false) return fromKnown;
  const strange = Object.keys(given).filter((name) => !(name in known));
  return [
    ...fromKnown,
    ...strange.map((name) => `${place}.${name}: is on one side only`),
    ...(narrow.type === "object" && narrow.additionalProperties !== false
      ? [`${place}: other fields are allowed on one side only`]
      : []),
  ];
}

function fieldsOf({ properties }: Json): Record<string, Json> {
  return (properties ?? {}) as Record<string, Json>;
}

function itemReasons(narrow: Json, wide: Json, place: string, comparing: Comparing): string[] {
  if (wide.items === undefined) return [];
  return whyNotWithin((narrow.items ?? {}) as Json, wide.items as Json, `${place}[]`, comparing);
}

function otherReasons(narrow: Json, wide: Json, place: string): string[] {
  return Object.keys(wide)
    .filter((name) => !understood.has(name) && !isDeepStrictEqual(narrow[name], wide[name]))
    .map((name) => `${place}: ${name} differs`);
}
