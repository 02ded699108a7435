import { z } from "zod";

/** A JSON Schema, or a part of one. */
export type JsonSchema = { [keyword: string]: unknown };

/** Schemas that have a name, so that other schemas can refer to them. */
export type NamedSchemas = Record<string, JsonSchema>;

/**
 * The schema of a part of a message. A response allows unknown fields, because later versions may add some; a body
 * allows none, like the service. A parameter is described as it is parsed, so a number is a number and not text.
 * Schemas with an id are added to `named` and referred to.
 */
export function schemaOf(
  part: "response" | "body" | "parameter",
  schema: z.ZodType,
  named: NamedSchemas,
): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: part === "body" ? "input" : "output",
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema, part === "response"),
  }) as JsonSchema;
  const { $schema: _, $defs, ...root } = made;
  for (const [name, definition] of Object.entries(($defs ?? {}) as NamedSchemas)) {
    const { id: _id, ...rest } = definition;
    named[name] = referring(rest);
  }
  return referring(root);
}

/**
 * Simplifies a schema: removes zod's pattern where a format says the same, removes the limits of a double,
 * and removes descriptions of the parts of a choice that has its own description. zod shares those parts
 * between schemas and visits them later, so the parts are copied before they change.
 */
function tidy(node: JsonSchema, allowsMore: boolean): void {
  if (node.format === "date-time" || node.format === "uuid") delete node.pattern;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (allowsMore && node.additionalProperties === false) delete node.additionalProperties;
  if (Array.isArray(node.anyOf) && node.description !== undefined) {
    node.anyOf = node.anyOf.map(({ description: _, ...choice }: JsonSchema) => {
      tidy(choice, allowsMore);
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

/** A schema that refers to the named ones where the document has them. */
function referring(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text);
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
  if (type === "boolean") return false;
  if (type === "integer") return 1;
  if (type !== "object") return "text";
  return Object.fromEntries(
    Object.entries((properties ?? {}) as NamedSchemas).map(([name, part]) => [
      name,
      exampleOf(part, named),
    ]),
  );
}
