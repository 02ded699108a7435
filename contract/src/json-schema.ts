import { z } from "zod";

/** A JSON Schema, or a part of one. */
export type JsonSchema = { [keyword: string]: unknown };

/** Schemas that have a name, so that other schemas can refer to them. */
export type NamedSchemas = Record<string, JsonSchema>;

/**
 * The schema of a response. It allows unknown fields, because later versions may add some. Schemas with an id
 * are added to `named` and referred to.
 */
export function responseSchema(schema: z.ZodType, named: NamedSchemas): JsonSchema {
  return converted(schema, "output", named, (node) => {
    if (node.additionalProperties === false) delete node.additionalProperties;
  });
}

/** The schema of a request body. It allows no unknown fields, like the service. */
export function bodySchema(schema: z.ZodType, named: NamedSchemas): JsonSchema {
  return converted(schema, "input", named);
}

/** The schema of a parameter. It describes the parsed value, so a number is a number and not text. */
export function parameterSchema(schema: z.ZodType, named: NamedSchemas): JsonSchema {
  return converted(schema, "output", named);
}

function converted(
  schema: z.ZodType,
  io: "input" | "output",
  named: NamedSchemas,
  adjust: (node: JsonSchema) => void = () => undefined,
): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema, adjust),
  }) as JsonSchema;
  const { $schema: _, $defs, ...root } = made;
  for (const [name, definition] of Object.entries(($defs ?? {}) as NamedSchemas)) {
    const { id: _id, ...rest } = definition;
    named[name] = referring(rest) as JsonSchema;
  }
  return referring(root) as JsonSchema;
}

/**
 * Simplifies a schema: removes zod's pattern where a format says the same, removes the limits of a double,
 * and removes descriptions of the parts of a choice that has its own description. zod shares those parts
 * between schemas and visits them later, so the parts are copied before they change.
 */
function tidy(node: JsonSchema, adjust: (node: JsonSchema) => void): void {
  if (node.format === "date-time" || node.format === "uuid") delete node.pattern;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  adjust(node);
  if (Array.isArray(node.anyOf) && node.description !== undefined) {
    node.anyOf = node.anyOf.map(({ description: _, ...choice }: JsonSchema) => {
      tidy(choice, adjust);
      return choice;
    });
    mergeNull(node);
  }
}

/**
 * Writes "this or null" as a list of types. Generators turn that into an optional value instead of a separate
 * type.
 */
function mergeNull(node: JsonSchema): void {
  const [value, nothing, ...more] = node.anyOf as JsonSchema[];
  const isPlain = typeof value?.type === "string" && !["object", "array"].includes(value.type);
  if (!isPlain || value.enum || nothing?.type !== "null" || more.length > 0) return;
  delete node.anyOf;
  Object.assign(node, { ...value, type: [value.type, "null"] });
}

function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, part]) => [
      keyword,
      keyword === "$ref"
        ? String(part).replace("#/$defs/", "#/components/schemas/")
        : referring(part),
    ]),
  );
}

/** An example of a schema, composed of the examples of its parts. */
export function exampleOf(schema: JsonSchema, named: NamedSchemas): unknown {
  const { $ref, examples, anyOf, type, items, properties, enum: choices, const: only } = schema;
  if (typeof $ref === "string") return exampleOf(named[$ref.split("/").at(-1) ?? ""] ?? {}, named);
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, named);
  if (type === "array") return [exampleOf(items as JsonSchema, named)];
  if (type !== "object") return type === "boolean" ? false : type === "integer" ? 1 : "text";
  return Object.fromEntries(
    Object.entries((properties ?? {}) as NamedSchemas).map(([name, part]) => [
      name,
      exampleOf(part, named),
    ]),
  );
}
