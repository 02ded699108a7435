import { openApiDocument } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import { openApiBreaks } from "./openapi-breaks.js";

const addresses = { baseUrl: "https://queue.example", docsUrl: "https://queue.example/docs" };

type Path = readonly (string | number)[];

/** A copy of the document that a test changes. */
class Draft {
  readonly document = structuredClone(openApiDocument(addresses));

  at(path: Path): object {
    const part = path.reduce<unknown>(
      (part, name) => Reflect.get(part as object, name),
      this.document,
    );
    if (typeof part !== "object" || part === null) throw new Error(`no ${path.join(".")}`);
    return part;
  }

  put(path: Path, value: unknown): void {
    Reflect.set(this.at(path.slice(0, -1)), path.at(-1) ?? "", value);
  }

  drop(path: Path): void {
    const parent = this.at(path.slice(0, -1));
    const name = path.at(-1) ?? "";
    if (!Reflect.has(parent, name)) throw new Error(`no ${path.join(".")}`);
    Reflect.deleteProperty(parent, name);
  }

  /** Changes a list. */
  list(path: Path, change: (items: unknown[]) => unknown[]): void {
    this.put(path, change(this.at(path) as unknown[]));
  }
}

/** Returns what a change to the document breaks. */
function breaks(change: (draft: Draft) => void): string[] {
  const draft = new Draft();
  change(draft);
  return openApiBreaks(openApiDocument(addresses), draft.document);
}

const list = ["paths", "/v1/queues/{queueId}/entries", "get"];
const create = ["paths", "/v1/queues/{queueId}/entries", "post"];
const schemas = ["components", "schemas"];
const request = [...schemas, "CreateEntryRequest"];
const listed = "GET /v1/queues/{queueId}/entries";
const created = "POST /v1/queues/{queueId}/entries";
const parameterAt = (at: number): Path => [...list, "parameters", at];
const [queueId, status, date, limit] = [
  parameterAt(0),
  parameterAt(1),
  parameterAt(2),
  parameterAt(3),
] as const;
const identifier = { type: "string", pattern: "^[a-zA-Z0-9]{20,32}$" };
const code = [...schemas, "Error", "properties", "code"];
const plus = (item: unknown) => (items: unknown[]) => [...items, item];
const minus = (item: unknown) => (items: unknown[]) => items.filter((one) => one !== item);
const parameter = (more = {}) => ({
  name: "series",
  in: "query",
  schema: { type: "string" },
  ...more,
});

describe("no caller is broken", () => {
  test.each<[string, (draft: Draft) => void]>([
    ["by an unchanged document", () => {}],
    [
      "by other descriptions",
      (d) => {
        d.put([...list, "description"], "Another description.");
        d.put([...schemas, "Entry", "properties", "token", "description"], "The label.");
        d.put([...schemas, "Entry", "properties", "token", "examples"], ["B1"]);
        d.put(["info", "description"], "Another introduction.");
        d.put(["servers", 0, "url"], "https://elsewhere.example");
      },
    ],
    [
      "by a new endpoint",
      (d) => d.put(["paths", "/v1/counters"], { get: { operationId: "x", responses: {} } }),
    ],
    ["by a new optional parameter", (d) => d.list([...list, "parameters"], plus(parameter()))],
    ["by a parameter that becomes optional", (d) => d.put([...queueId, "required"], false)],
    [
      "by a parameter that accepts more values",
      (d) => {
        d.put([...limit, "schema", "maximum"], 500);
        d.put([...status, "schema"], { type: "string" });
      },
    ],
    [
      "by a new optional field of a body",
      (d) => d.put([...request, "properties", "note"], { type: "string" }),
    ],
    [
      "by a field of a body that becomes optional",
      (d) => d.list([...request, "required"], minus("phone")),
    ],
    [
      "by a new field of a response",
      (d) => {
        d.put([...schemas, "Entry", "properties", "room"], { type: "string" });
        d.list([...schemas, "Entry", "required"], plus("room"));
      },
    ],
    [
      "by a field of a response that is no longer null",
      (d) => d.put([...schemas, "Entry", "properties", "serviceId"], identifier),
    ],
    [
      "by a new error code, and a new status of an error",
      (d) => {
        d.list([...code, "x-extensible-enum"], plus("new_code"));
        d.put([...create, "responses", "410"], { description: "Gone." });
      },
    ],
    [
      "by a new header of a response",
      (d) => d.put([...create, "responses", "201", "headers", "Age"], { schema: {} }),
    ],
  ])("%s", (_what, change) => {
    expect(breaks(change)).toEqual([]);
  });
});

describe("a caller is broken", () => {
  test.each<[string, (draft: Draft) => void, string]>([
    [
      "by a removed endpoint",
      (d) => d.drop(["paths", "/v1/services"]),
      "GET /v1/services: is gone",
    ],
    [
      "by another name of an operation",
      (d) => d.put([...list, "operationId"], "entries"),
      `${listed}: operationId differs`,
    ],
    [
      "by another scope",
      (d) => d.put([...list, "x-required-scopes"], ["queue:write"]),
      `${listed}: x-required-scopes differs`,
    ],
    [
      "by a public endpoint that requires a key",
      (d) => d.drop(["paths", "/v1", "get", "security"]),
      "GET /v1: who may call it differs",
    ],
    [
      "by a new required parameter",
      (d) => d.list([...list, "parameters"], plus(parameter({ required: true }))),
      `${listed} query series: is new and required`,
    ],
    [
      "by a removed parameter",
      (d) => d.list([...list, "parameters"], (all) => minus(all[3])(all)),
      `${listed} query limit: is gone`,
    ],
    [
      "by a parameter that becomes required",
      (d) => d.put([...date, "required"], true),
      `${listed} query date: is required`,
    ],
    [
      "by a parameter that accepts fewer values",
      (d) => d.put([...limit, "schema", "maximum"], 50),
      `${listed} query limit: maximum is 50 on one side and 100 on the other`,
    ],
    [
      "by a narrower enum of a parameter",
      (d) => d.list([...schemas, "EntryStatus", "enum"], minus("NO_SHOW")),
      `${listed} query status: the value NO_SHOW is on one side only`,
    ],
    [
      "by another pattern",
      (d) => d.put([...request, "properties", "phone", "pattern"], "^[0-9]+$"),
      `${created} body.phone: pattern differs`,
    ],
    [
      "by a new required field of a body",
      (d) => {
        d.put([...request, "properties", "note"], { type: "string" });
        d.list([...request, "required"], plus("note"));
      },
      `${created} body.note: is on one side only`,
    ],
    [
      "by a removed field of a body",
      (d) => d.drop([...request, "properties", "serviceId"]),
      `${created} body.serviceId: is on one side only`,
    ],
    [
      "by a removed field of a response",
      (d) => {
        d.drop([...schemas, "EntryWithPosition", "properties", "position"]);
        d.list([...schemas, "EntryWithPosition", "required"], minus("position"));
      },
      `${created} 201.data.position: is on one side only`,
    ],
    [
      "by a field of a response that becomes optional",
      (d) => d.list([...schemas, "Me", "required"], minus("limits")),
      "GET /v1/me 200.data.limits: is required on one side only",
    ],
    [
      "by a field of a response that becomes nullable",
      (d) =>
        d.put([...schemas, "Queue", "properties", "name"], {
          anyOf: [{ type: "string" }, { type: "null" }],
        }),
      "GET /v1/queues 200.data[].name: may be null, which it could not be",
    ],
    [
      "by another type of a field of a response",
      (d) => d.put([...schemas, "Queue", "properties", "isActive"], { type: "string" }),
      "GET /v1/queues 200.data[].isActive: may be string, which it could not be",
    ],
    [
      "by a new value of an enum in a response",
      (d) => d.list([...schemas, "AppointmentStatus", "enum"], plus("LATE")),
      "GET /v1/appointments 200.data[].status: the value LATE is on one side only",
    ],
    [
      "by a new success status",
      (d) => d.put([...create, "responses", "202"], { description: "Accepted." }),
      `${created} 202: is a new success`,
    ],
    [
      "by a removed header of a response",
      (d) => d.drop([...create, "responses", "201", "headers", "Location"]),
      `${created} 201 Location: is gone`,
    ],
    [
      "by a keyword that the comparison does not support",
      (d) => d.put([...request, "properties", "name", "multipleOf"], 2),
      `${created} body.name: multipleOf differs`,
    ],
  ])("%s", (_what, change, line) => {
    expect(breaks(change)).toContain(line);
  });
});
