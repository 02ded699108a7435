import { routes } from "@queue-api/contract";
import type { Operation } from "./api-document.js";

type Call = ReturnType<typeof callOf>;

/**
 * The samples of an operation: programs that make the same call. Each reads its key from `QUEUE_API_KEY` and has no other
 * requirements. It follows no redirect: some clients would send the key to the other host, or a POST as a GET. `language`
 * is its name for class names and for the highlighter.
 */
export function samplesOf(operation: Operation, baseUrl: string) {
  const call = callOf(operation, baseUrl);
  return [
    { language: "curl", label: "curl", code: curl(call) },
    { language: "typescript", label: "TypeScript", code: typescript(call) },
    { language: "python", label: "Python", code: python(call) },
    { language: "go", label: "Go", code: go(call) },
  ];
}

/** One call of an operation with the examples of the document. All languages show the same call. */
function callOf({ id, method, path, parameters, body, success }: Operation, baseUrl: string) {
  const examples = new Map(parameters.map(({ name, example }) => [name, String(example)]));
  const exampleOf = (name: string) => examples.get(name) ?? "";
  // Of the optional parameters, one with fixed values makes the clearest example.
  const chosen = parameters.filter(
    ({ in: place, required, schema }) => place === "query" && (required || schema.enum),
  );
  const query = Object.fromEntries(chosen.map(({ name }) => [name, exampleOf(name)]));
  const search = new URLSearchParams(query).toString();
  /** Null for an operation without a key. */
  const sdk = sdkMethods.get(id) ?? null;
  const idempotencyKey = examples.get("Idempotency-Key");
  /** The headers with their values. The value that holds the key is null. */
  const headers: Readonly<Record<string, string | null>> = {
    ...(sdk && { Authorization: null }),
    ...(body && { "Content-Type": "application/json" }),
    ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
  };
  return {
    method,
    baseUrl,
    sdk,
    query,
    headers,
    body: (body?.example ?? null) as Readonly<Record<string, unknown>> | null,
    url: `${baseUrl}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))}${search && `?${search}`}`,
    pathValues: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => exampleOf(name)),
    paged: "nextCursor" in (success.schema?.properties ?? {}),
  };
}

/** The SDK method of each operation with a key, such as `entries.create`. */
export const sdkMethods: ReadonlyMap<string, string> = new Map(
  Object.entries(routes).flatMap(([noun, members]) =>
    Object.entries(members)
      .filter(([, { metadata }]) => metadata.access !== "public")
      .map(([verb, { metadata }]) => [metadata.operationId, `${noun}.${verb}`] as const),
  ),
);

function curl({ method, url, headers, body }: Call): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}"`,
    ...Object.entries(headers).map(
      ([name, value]) => `-H "${name}: ${value ?? "Bearer $QUEUE_API_KEY"}"`,
    ),
    ...(body ? [`-d '${indented(body).replaceAll("'", "'\\''")}'`] : []),
  ].join(" \\\n  ");
}

/** JSON with one field per line, indented like the line that contains it. */
function indented(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
}

function typescript({ url, baseUrl, sdk, pathValues, query, headers, body, paged }: Call): string {
  if (sdk === null) {
    return `const response = await fetch("${url}", { redirect: "error" });\nconsole.log(await response.json());`;
  }
  const idempotencyKey = headers["Idempotency-Key"];
  const given = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(Object.keys(query).length > 0 ? [literal(query)] : []),
    ...(body ? [literal(body)] : []),
    ...(idempotencyKey ? [literal({ idempotencyKey })] : []),
  ];
  const short = `api.${sdk}(${given.join(", ")})`;
  const called = short.length <= 60 ? short : `api.${sdk}(\n  ${given.join(",\n  ")},\n)`;
  return [
    'import { QueueApi } from "@queue-api/sdk";',
    "",
    `const api = new QueueApi({ baseUrl: "${baseUrl}" });`,
    "",
    paged ? `for await (const item of ${called}) {` : `const response = await ${called};`,
    ...(paged ? ["  console.log(item);", "}"] : ["console.log(response);"]),
  ].join("\n");
}

/** An object as a TypeScript literal, on one line if it is short. */
function literal(value: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${JSON.stringify(field)}`);
  const short = `{ ${fields.join(", ")} }`;
  return short.length <= 56 ? short : `{\n    ${fields.join(",\n    ")},\n  }`;
}

function python({ method, url, sdk, headers, body }: Call): string {
  const fields = Object.entries(body ?? {}).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const sent = Object.entries(headers).map(([name, value]) => {
    const shown = value === null ? '"Bearer " + os.environ["QUEUE_API_KEY"]' : `"${value}"`;
    return `        "${name}": ${shown},`;
  });
  return [
    "import json",
    ...(sdk ? ["import os"] : []),
    "import urllib.request",
    "",
    "",
    "class NoRedirects(urllib.request.HTTPRedirectHandler):",
    "    def redirect_request(self, *_):",
    "        return None",
    "",
    "",
    ...(body ? ["body = {", ...fields, "}"] : []),
    "request = urllib.request.Request(",
    `    "${url}",`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(body ? ["    data=json.dumps(body).encode(),"] : []),
    ...(sdk ? ["    headers={", ...sent, "    },"] : []),
    ")",
    "opener = urllib.request.build_opener(NoRedirects)",
    "with opener.open(request, timeout=10) as response:",
    `    print(json.load(response)${sdk ? '["data"]' : ""})`,
  ].join("\n");
}

function go({ method, url, sdk, headers, body }: Call): string {
  const packages = ["fmt", "io", "log", "net/http", ...(sdk ? ["os"] : [])];
  if (body) packages.push("strings");
  const sent = Object.entries(headers).map(([name, value]) => {
    const shown = value === null ? '"Bearer "+os.Getenv("QUEUE_API_KEY")' : `"${value}"`;
    return `\trequest.Header.Set("${name}", ${shown})`;
  });
  const stop = ["\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"];
  return [
    "package main",
    "",
    "import (",
    ...packages.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    ...(body ? [`\tbody := strings.NewReader(\`${JSON.stringify(body)}\`)`] : []),
    `\trequest, err := http.NewRequest("${method}", "${url}", ${body ? "body" : "nil"})`,
    ...stop,
    ...sent,
    "\tclient := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {",
    "\t\treturn http.ErrUseLastResponse",
    "\t}}",
    "\tresponse, err := client.Do(request)",
    ...stop,
    "\tdefer response.Body.Close()",
    "\tcontent, err := io.ReadAll(response.Body)",
    ...stop,
    "\tfmt.Println(response.StatusCode, string(content))",
    "}",
  ].join("\n");
}
