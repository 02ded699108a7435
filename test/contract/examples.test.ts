import { type ErrorCode, errorCodes, errors } from "@queue-api/contract";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import {
  addresses,
  answersOf,
  codesOf,
  document,
  type Json,
  jsonContent,
  operations,
  resolved,
} from "./document.js";

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
formats.default(ajv);
ajv.addVocabulary(["components", "x-extensible-enum"]);

const validators = new Map<unknown, ValidateFunction>();

/** A schema of the document, compiled once. */
function validator(schema: unknown): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const made = ajv.compile({ ...(schema as Json), components: document.components });
  validators.set(schema, made);
  return made;
}

/** The validation errors of a value against a schema of the document. */
function faults(schema: unknown, value: unknown): string[] {
  const validate = validator(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

interface Example {
  readonly of: string;
  readonly schema: unknown;
  readonly value: unknown;
}

/** The examples of a node that has a schema, in every notation of OpenAPI. */
function examplesOf(of: string, node: Json): Example[] {
  const { schema, example, examples } = node;
  const values = [
    ...("example" in node ? [example] : []),
    ...Object.values((examples ?? {}) as Json).map((named) => (named as Json).value),
    ...((resolved(schema).examples ?? []) as unknown[]),
  ];
  return values.map((value) => ({ of, schema, value }));
}

function headerExamples(of: string, headers: unknown): Example[] {
  return Object.values(headers as Json).flatMap((header) => examplesOf(of, resolved(header)));
}

/** Examples inside a schema, at any depth. */
function nestedExamples(of: string, node: unknown): Example[] {
  if (typeof node !== "object" || node === null) return [];
  const { examples } = node as Json;
  const own = Array.isArray(examples) ? examples : [];
  return [
    ...own.map((value) => ({ of, schema: node, value })),
    ...Object.entries(node)
      .filter(([keyword]) => keyword !== "examples")
      .flatMap(([, part]) => nestedExamples(of, part)),
  ];
}

const parameters = operations.flatMap(({ name, operation }) =>
  ((operation.parameters ?? []) as Json[]).map((parameter) => ({
    of: `${name} ${parameter.in} ${parameter.name}`,
    parameter,
  })),
);
const bodies = operations
  .filter(({ operation }) => "requestBody" in operation)
  .map(({ name, operation }) => ({
    of: `${name} body`,
    content: jsonContent(operation.requestBody),
  }));
const answers = operations.flatMap(({ name, operation }) =>
  answersOf(operation).map(([status, answer]) => ({ of: `${name} ${status}`, status, answer })),
);

const all: Example[] = [
  ...parameters.flatMap(({ of, parameter }) => examplesOf(of, parameter)),
  ...bodies.flatMap(({ of, content }) => examplesOf(of, content)),
  ...answers.flatMap(({ of, answer }) => [
    ...examplesOf(of, jsonContent(answer)),
    ...headerExamples(of, answer.headers),
  ]),
  ...Object.entries((document.components as Json).schemas as Json).flatMap(([name, schema]) =>
    nestedExamples(`the schema ${name}`, schema),
  ),
];

describe("every example matches its schema", () => {
  test.each([...new Set(all.map(({ of }) => of))])("in %s", (of) => {
    for (const { schema, value } of all.filter((example) => example.of === of)) {
      expect(faults(schema, value), JSON.stringify(value)).toEqual([]);
    }
  });

  test("and the schemas refuse invalid values", () => {
    const schema = { $ref: "#/components/schemas/Entry" };
    const example = (resolved(schema).examples as Json[])[0];
    expect(faults(schema, { ...example, status: "CANCELLED" })).toEqual([
      "/status must be equal to one of the allowed values",
    ]);
  });
});

describe("an error response has examples of its codes, which have its status", () => {
  const refusals = answers.filter(({ status }) => status >= 400);

  test.each(refusals.map(({ of, status, answer }) => [of, status, answer] as const))(
    "%s",
    (_, status, answer) => {
      const codes = codesOf(answer);
      expect(codes).not.toEqual([]);
      for (const code of codes) expect(errors[code as ErrorCode].status).toBe(status);
    },
  );

  test.each(errorCodes)("%s with its message, its page and its other fields", (code) => {
    const shown = refusals
      .map(({ answer }) => (jsonContent(answer).examples as Json)[code] as Json | undefined)
      .filter((example) => example !== undefined);
    expect(shown).not.toEqual([]);
    for (const { value } of shown) {
      const { error } = value as { error: Json };
      expect(error).toMatchObject({
        code,
        message: errors[code].message,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        docUrl: `${addresses.docsUrl}/errors#${code}`,
      });
      expect("details" in error).toBe(code === "invalid_request");
      expect("required" in error).toBe(code === "insufficient_scope");
    }
  });
});

test("the schemas of responses allow new fields, and the one of a body does not", () => {
  const closed = JSON.stringify((document.components as Json).schemas).match(
    /"additionalProperties":false/g,
  );
  expect(closed, "CreateEntryRequest alone").toHaveLength(1);
});
