/*
 * Writes sdk/src/generated: from the contract, the types of the responses and of the requests and a
 * plain table of the operations; from the manifest, the version of the package. So the client is
 * driven by the contract's router without loading a schema library, and its published types need no
 * other package. A step of the build.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  appointmentStatus,
  appointmentStatuses,
  entryStatus,
  entryStatuses,
  errorCodes,
  errorDetail,
  routes,
  scope,
  scopes,
} from "@queue-api/contract";
import { z } from "zod";

const notice =
  "// Made from the contract by the build (sdk/scripts/generate.js); not to be edited.\n\n";

/** Sets of words with a name of their own. They are open: a word added later is no type error. */
const vocabularies = [
  { name: "EntryStatus", words: entryStatuses, about: entryStatus.description },
  { name: "AppointmentStatus", words: appointmentStatuses, about: appointmentStatus.description },
  { name: "Scope", words: scopes, about: scope.description },
  {
    name: "ErrorCode",
    words: errorCodes,
    about: "Code of an error of the service.",
  },
];

/** The queries that methods take. */
const queries = {
  "queues.get": { name: "QueueQuery", about: "Which day of a queue to read." },
  "entries.list": { name: "EntriesQuery", about: "Which entries to list, and how many per page." },
  "appointments.list": {
    name: "AppointmentsQuery",
    about: "Which appointments to list, and how many per page.",
  },
};

/** The objects that have all fields of another one. */
const bases = {
  EntryWithPosition: "Entry",
  QueueSummary: "Queue",
  EntriesQuery: "AppointmentsQuery",
};

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The files to write, by name. */
function generate() {
  const definitions = new Map();
  const operations = operationsOf(routes).map((route) => describe(route, definitions));
  schemaOf(errorDetail, "output", definitions);
  return {
    "types.ts": typesFile(definitions, operations),
    "operations.ts": operationsFile(definitions, operations),
    "version.ts": `/** Version of this package. */\nexport const version = "${manifest.version}";\n`,
  };
}

/** The routes that need a key, flat and in the document's order. */
function operationsOf(router) {
  return Object.entries(router)
    .flatMap(([noun, group]) =>
      Object.entries(group).map(([verb, route]) => ({ ...route, name: `${noun}.${verb}` })),
    )
    .filter((route) => route.metadata.access !== "public");
}

function describe(route, definitions) {
  const success = Object.keys(route.responses).find((status) => status.startsWith("2"));
  const envelope = schemaOf(route.responses[success], "output", definitions);
  const { data, nextCursor } = definitions.get(nameOf(envelope)).properties;
  definitions.delete(nameOf(envelope)); // a caller is handed what is in it
  if (route.body) schemaOf(route.body, "input", definitions);
  const query = queries[route.name];
  if (query) {
    const { required } = schemaOf(route.query, "input", definitions);
    const { properties } = schemaOf(route.query, "output", definitions); // has the defaults
    definitions.set(query.name, { properties, required, description: query.about });
  }
  const headers = route.headers ? schemaOf(route.headers, "input", definitions).properties : {};
  const { name, method, path } = route;
  const sendsIdempotencyKey = "idempotency-key" in headers;
  return { name, method, path, data, isPage: nextCursor !== undefined, sendsIdempotencyKey };
}

function schemaOf(schema, io, definitions) {
  const { $defs = {}, ...json } = z.toJSONSchema(schema, { io });
  for (const [name, definition] of Object.entries($defs)) definitions.set(name, definition);
  return json;
}

// Types

function typesFile(definitions, operations) {
  const words = vocabularies.map(
    ({ name, words, about }) =>
      `${comment(`The words of {@link ${name}} that this version knows, for a \`switch\` over all of them.`)}export type Known${name} = ${words.map((word) => `"${word}"`).join(" | ")};\n
      ${comment(about)}export type ${name} = Known${name} | (string & {});\n`,
  );
  const interfaces = [...definitions]
    .filter(([, { enum: words }]) => !words)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) =>
        `${comment(schema.description)}export interface ${name} ${extension(name, schema, definitions)}\n`,
    );
  const results = operations.map(({ name, data }) => `"${name}": ${typeOf(data)};\n`);
  return `${notice}${words.join("\n")}\n${interfaces.join("\n")}
    /** The result of each operation, by the method that sends it. */
    export interface Operations {${results.join("")}}\n`;
}

/** The type of an object, as an extension of another one that it repeats. */
function extension(name, schema, definitions) {
  const base = bases[name];
  if (!base) return objectType(schema);
  const { properties: inherited } = definitions.get(base);
  const own = Object.entries(schema.properties).filter(([field]) => !inherited[field]);
  return `extends ${base} ${objectType({ ...schema, properties: Object.fromEntries(own) })}`;
}

function objectType({ properties, required = [] }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment(aboutField(schema))}${field};\n`;
  });
  return `{\n${fields.join("")}}`;
}

/** The description of a field, with the range and the default of a number that may be left out. */
function aboutField({ description, minimum, maximum, default: byDefault }) {
  if (byDefault === undefined) return description;
  return `${description} ${minimum} to ${maximum}. Default: ${byDefault}.`;
}

function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) throw new Error(`The words ${schema.enum.join(", ")} have no name yet.`);
  if (schema.type === "array") return `${typeOf(schema.items)}[]`;
  if (schema.type === "object") return objectType(schema);
  return primitivesOf(schema).join(" | ");
}

// The table of operations

function operationsFile(definitions, operations) {
  const rows = operations.map(({ name, data, ...operation }) => {
    return [name, { ...operation, data: shapeOf(data, definitions) }];
  });
  return `${notice}import type { Operation } from "../operation.js";
    import type { Operations } from "./types.js";

    /** The codes of the errors of the service that this version knows. */
    export const errorCodes: ReadonlySet<string> = new Set(${JSON.stringify(errorCodes)});

    /** The request and the shape of the response of each operation, by the method that sends it. */
    export const operations: { readonly [Name in keyof Operations]: Omit<Operation, "name"> } = ${JSON.stringify(Object.fromEntries(rows))};\n`;
}

/** The fields that a response always has, with their types. */
function shapeOf(schema, definitions) {
  if (schema.$ref) return shapeOf(definitions.get(nameOf(schema)), definitions);
  if (schema.anyOf) return schema.anyOf.flatMap(primitivesOf).join("|");
  if (schema.type === "array") return [shapeOf(schema.items, definitions)];
  if (schema.type !== "object") return primitivesOf(schema).join("|");
  const { properties, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, shapeOf(properties[name], definitions)]));
}

// Both

const primitives = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function primitivesOf({ type }) {
  return [type].flat().map((kind) => {
    const primitive = primitives[kind];
    if (!primitive) throw new Error(`A schema of type ${kind} cannot be written down yet.`);
    return primitive;
  });
}

function nameOf({ $ref }) {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function comment(about) {
  return about ? `/** ${about} */\n` : "";
}

const folder = join(dirname(fileURLToPath(import.meta.url)), "../src/generated");
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(generate())) writeFileSync(join(folder, name), text);
