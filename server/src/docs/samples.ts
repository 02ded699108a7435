import { routes } from "@queue-api/contract";
import type { Operation } from "./api-document.js";

/** A program that calls an operation. It reads its key from `QUEUE_API_KEY` and has no other requirements. */
export interface Sample {
  /** The id of the language in addresses and class names. */
  readonly language: "curl" | "typescript" | "python" | "go";
  readonly label: string;
  /** The language name for the highlighter. */
  readonly colours: string;
  readonly code: string;
}

/** One call of an operation with the examples of the document. All languages show the same call. */
interface Call {
  readonly operation: Operation;
  readonly baseUrl: string;
  /** The path, with examples for its parameters. */
  readonly path: string;
  readonly pathValues: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Whether the operation needs a key. */
  readonly needsApiKey: boolean;
  /** Whether the response is a page of a list. */
  readonly paged: boolean;
}

/** The samples of an operation, the same call in each language. */
export function samplesOf(operation: Operation, baseUrl: string): readonly Sample[] {
  const call = callOf(operation, baseUrl);
  return [
    { language: "curl", label: "curl", colours: "sh", code: curl(call) },
    { language: "typescript", label: "TypeScript", colours: "ts", code: typescript(call) },
    { language: "python", label: "Python", colours: "py", code: python(call) },
    { language: "go", label: "Go", colours: "go", code: go(call) },
  ];
}

function callOf(operation: Operation, baseUrl: string): Call {
  const { id, path, parameters, body, success } = operation;
  const values = new Map(parameters.map(({ name, example }) => [name, String(example)]));
  const exampleOf = (name: string) => values.get(name) ?? "";
  // Of the optional parameters, one with fixed values makes the clearest example.
  const chosen = parameters.filter(
    ({ in: place, required, schema }) => place === "query" && (required || schema.enum),
  );
  const hasPages = "nextCursor" in (success.schema?.properties ?? {});
  return {
    ...{ operation, baseUrl },
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name)),
    pathValues: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => exampleOf(name)),
    query: Object.fromEntries(chosen.map(({ name }) => [name, exampleOf(name)])),
    idempotencyKey: values.get("Idempotency-Key") ?? null,
    body: (body?.example as Call["body"]) ?? null,
    needsApiKey: methodOf(id) !== null,
    paged: hasPages,
  };
}

/**
 * The SDK method for an operation, such as `entries.create`. Null for operations without a key, which the SDK
 * lacks.
 */
export function methodOf(operationId: string): string | null {
  for (const [noun, members] of Object.entries(routes)) {
    for (const [verb, { metadata }] of Object.entries(members)) {
      if (metadata.operationId !== operationId) continue;
      return metadata.access === "public" ? null : `${noun}.${verb}`;
    }
  }
  return null;
}

function urlOf({ baseUrl, path, query }: Call): string {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}${path}${search && `?${search}`}`;
}

function curl(call: Call): string {
  const { operation, idempotencyKey, body, needsApiKey } = call;
  const method = operation.method === "GET" ? "" : `-X ${operation.method} `;
  return [
    `curl ${method}"${urlOf(call)}"`,
    ...(needsApiKey ? ['-H "Authorization: Bearer $QUEUE_API_KEY"'] : []),
    ...(body ? ['-H "Content-Type: application/json"'] : []),
    ...(idempotencyKey ? [`-H "Idempotency-Key: ${idempotencyKey}"`] : []),
    ...(body ? [`-d '${indented(body).replaceAll("'", "'\\''")}'`] : []),
  ].join(" \\\n  ");
}

/** JSON with one field per line, indented like the line that contains it. */
function indented(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
}

function typescript(call: Call): string {
  const { operation, baseUrl, pathValues, query, idempotencyKey, body, paged } = call;
  const method = methodOf(operation.id);
  if (method === null) {
    return [
      `const response = await fetch("${urlOf(call)}");`,
      "console.log(await response.json());",
    ].join("\n");
  }
  const given = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(Object.keys(query).length > 0 ? [literal(query)] : []),
    ...(body ? [literal(body)] : []),
    ...(idempotencyKey ? [literal({ idempotencyKey })] : []),
  ];
  const short = `api.${method}(${given.join(", ")})`;
  const called = short.length <= 60 ? short : `api.${method}(\n  ${given.join(",\n  ")},\n)`;
  const use = paged
    ? [`for await (const item of ${called}) {`, "  console.log(item);", "}"]
    : [`const answer = await ${called};`, "console.log(answer);"];
  return [
    'import { QueueApi } from "@queue-api/sdk";',
    "",
    `const api = new QueueApi({ baseUrl: "${baseUrl}" });`,
    "",
    ...use,
  ].join("\n");
}

/** An object as a TypeScript literal, on one line if it is short. */
function literal(value: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${JSON.stringify(field)}`);
  const short = `{ ${fields.join(", ")} }`;
  return short.length <= 56 ? short : `{\n    ${fields.join(",\n    ")},\n  }`;
}

function python(call: Call): string {
  const { operation, idempotencyKey, body, needsApiKey } = call;
  if (!needsApiKey) {
    return [
      "import json",
      "import urllib.request",
      "",
      `with urllib.request.urlopen("${urlOf(call)}", timeout=10) as response:`,
      "    print(json.load(response))",
    ].join("\n");
  }
  const fields = Object.entries(body ?? {}).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    "import json",
    "import os",
    "import urllib.request",
    "",
    ...(body ? ["body = {", ...fields, "}"] : []),
    "request = urllib.request.Request(",
    `    "${urlOf(call)}",`,
    ...(operation.method === "GET" ? [] : [`    method="${operation.method}",`]),
    ...(body ? ["    data=json.dumps(body).encode(),"] : []),
    "    headers={",
    `        "Authorization": "Bearer " + os.environ["QUEUE_API_KEY"],`,
    ...(body ? ['        "Content-Type": "application/json",'] : []),
    ...(idempotencyKey ? [`        "Idempotency-Key": "${idempotencyKey}",`] : []),
    "    },",
    ")",
    "with urllib.request.urlopen(request, timeout=10) as response:",
    '    print(json.load(response)["data"])',
  ].join("\n");
}

function go(call: Call): string {
  const { operation, idempotencyKey, body, needsApiKey } = call;
  const packages = ["fmt", "io", "log", "net/http", ...(needsApiKey ? ["os"] : [])];
  if (body) packages.push("strings");
  const header = (name: string, value: string) => `\trequest.Header.Set("${name}", ${value})`;
  return [
    "package main",
    "",
    "import (",
    ...packages.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    ...(body ? [`\tbody := strings.NewReader(\`${JSON.stringify(body)}\`)`] : []),
    `\trequest, err := http.NewRequest("${operation.method}", "${urlOf(call)}", ${body ? "body" : "nil"})`,
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    ...(needsApiKey ? [header("Authorization", '"Bearer "+os.Getenv("QUEUE_API_KEY")')] : []),
    ...(body ? [header("Content-Type", '"application/json"')] : []),
    ...(idempotencyKey ? [header("Idempotency-Key", `"${idempotencyKey}"`)] : []),
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    "\tdefer response.Body.Close()",
    "\tanswer, err := io.ReadAll(response.Body)",
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    "\tfmt.Println(response.StatusCode, string(answer))",
    "}",
  ].join("\n");
}
