import fc from "fast-check";

type Json = Record<string, unknown>;

/** Generates values that a JSON Schema of the served document accepts. */
export function valuesOf(schema: Json, document: Json): fc.Arbitrary<unknown> {
  const of = (part: unknown) => valuesOf(part as Json, document);
  if (typeof schema.$ref === "string") return of(resolve(schema.$ref, document));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.map(of));
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({
        min: (schema.minimum as number | undefined) ?? -1000,
        max: (schema.maximum as number | undefined) ?? 1000,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(of(schema.items), { maxLength: 5 });
    case "object": {
      const fields = Object.entries((schema.properties ?? {}) as Json);
      return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, of(field)])), {
        requiredKeys: (schema.required ?? []) as string[],
      });
    }
    default:
      throw new Error(`no values for the schema ${JSON.stringify(schema)}`);
  }
}

function textOf({ pattern, format, minLength, maxLength }: Json): fc.Arbitrary<string> {
  if (format === "date") {
    const day = { min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true };
    return fc.date(day).map((date) => date.toISOString().slice(0, 10));
  }
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  return fc.string({
    unit: "binary",
    minLength: (minLength as number | undefined) ?? 0,
    maxLength: (maxLength as number | undefined) ?? 200,
  });
}

export function resolve(reference: string, document: Json): Json {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (at as Json)[part], document) as Json;
}
