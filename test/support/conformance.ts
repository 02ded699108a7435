import { challenge, type ErrorCode, errors, scopes } from "@queue-api/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Answer } from "./answer.js";

type Json = Record<string, unknown>;

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  /** Where the document describes it. */
  readonly place: readonly string[];
}

/** Headers that HTTP servers and security middleware can add to the declared ones. */
const unremarkable =
  `connection content-encoding content-length content-security-policy content-type
  cross-origin-opener-policy cross-origin-resource-policy date keep-alive origin-agent-cluster referrer-policy
  strict-transport-security transfer-encoding vary x-content-type-options x-dns-prefetch-control x-download-options
  x-frame-options x-permitted-cross-domain-policies x-xss-protection`.split(/\s+/);

/** Statuses that the service can return for an unknown path or method. */
const statusesOffTheMap = [400, 401, 403, 404, 429];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Checks responses against the served OpenAPI document and the rules for every response. */
export class Conformance {
  readonly #document: Json;
  readonly #operations: Operation[];
  readonly #ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, coerceTypes: false });

  constructor(document: unknown) {
    this.#document = { ...(closed(document) as Json), $id: "document" };
    this.#operations = operationsOf(this.#document);
    formats.default(this.#ajv);
    const parts = Object.keys(document as Json); // ajv reads the whole document as a schema
    this.#ajv.addVocabulary([...parts, "example", "x-extensible-enum"]);
    this.#ajv.addSchema(this.#document);
  }

  check(method: string, url: URL, answer: Answer): void {
    const faults = [
      ...headerFaults(answer),
      ...(answer.status >= 400 && method !== "HEAD" ? errorFaults(answer) : []),
      ...(url.pathname.startsWith("/v1") ? this.#documentFaults(method, url, answer) : []),
    ];
    if (faults.length > 0) {
      throw new Error(
        `${method} ${url.pathname}${url.search} answered ${answer.status} ${answer.text.slice(0, 2000)}\n${faults.map((fault) => `- ${fault}`).join("\n")}`,
      );
    }
  }

  #documentFaults(method: string, url: URL, answer: Answer): string[] {
    const declaredAs = method === "HEAD" ? "GET" : method;
    const operation = this.#operations.find(
      (candidate) => candidate.method === declaredAs && candidate.path.test(url.pathname),
    );
    if (!operation) {
      return statusesOffTheMap.includes(answer.status)
        ? []
        : [`${answer.status} from a path or method that the document does not know`];
    }
    const response = this.#find(...operation.place, "responses", String(answer.status));
    if (!response.node) return [`status ${answer.status} is not declared`];
    const faults = this.#declaredHeaderFaults(response.place, answer);
    const content = this.#find(...response.place, "content", "application/json");
    if (!content.node) return [...faults, "no application/json content is declared"];
    if (method === "HEAD") return faults;
    return [
      ...faults,
      ...this.#schemaFaults("the body", [...content.place, "schema"], answer.json),
      ...codeFaults(content.node, answer),
    ];
  }

  #declaredHeaderFaults(response: readonly string[], answer: Answer): string[] {
    const faults: string[] = [];
    const declared = Object.keys(this.#find(...response, "headers").node ?? {});
    for (const name of declared) {
      const { node, place } = this.#find(...response, "headers", name);
      const value = answer.headers.get(name);
      if (value === null) {
        if (node?.required) faults.push(`header ${name} is missing`);
        continue;
      }
      const schema = this.#find(...place, "schema");
      const isInteger = schema.node?.type === "integer";
      const typed = isInteger && /^\d+$/.test(value) ? Number(value) : value;
      faults.push(...this.#schemaFaults(`header ${name}`, schema.place, typed));
    }
    const known = [...unremarkable, ...declared.map((name) => name.toLowerCase())];
    for (const name of answer.headers.keys()) {
      if (!known.includes(name)) faults.push(`header ${name} is not declared`);
    }
    return faults;
  }

  /** How a value violates the schema at a place of the document. Unknown fields are refused. */
  #schemaFaults(name: string, place: readonly string[], value: unknown): string[] {
    const steps = place.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"));
    const validate = this.#ajv.getSchema(`document#/${steps.map(encodeURIComponent).join("/")}`);
    if (!validate) return [`${name} has no schema`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${name}: ${instancePath || "the whole"} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** A node of the document and its place; of a reference, its target. */
  #find(...place: readonly string[]): { node: Json | undefined; place: readonly string[] } {
    const at = (node: unknown, step: string) => (node as Json | undefined)?.[step];
    const node = place.reduce<unknown>(at, this.#document) as Json | undefined;
    const { $ref } = node ?? {};
    return typeof $ref === "string"
      ? this.#find(...$ref.slice("#/".length).split("/"))
      : { node, place };
  }
}

/** The schema allows any code, but the service must return one that the document shows for the operation. */
function codeFaults({ examples }: Json, answer: Answer): string[] {
  if (answer.status < 400) return [];
  const { code } = answer.error;
  return code in (examples as Json) ? [] : [`the code ${code} is not declared`];
}

function operationsOf({ paths }: Json): Operation[] {
  return Object.entries(paths as Json).flatMap(([template, item]) =>
    Object.keys(item as Json).map((method) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      place: ["paths", template, method],
    })),
  );
}

/** The same document, but its schemas refuse unknown fields, so that a leak is found. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const copy: Json = Object.fromEntries(
    Object.entries(node).map(([name, part]) => [name, closed(part)]),
  );
  const describesFields = copy.type === "object" && typeof copy.properties === "object";
  return describesFields ? { additionalProperties: false, ...copy } : copy;
}

function headerFaults(answer: Answer): string[] {
  const faults: string[] = [];
  const expected = (name: string, fits: (value: string) => boolean) => {
    const value = answer.headers.get(name);
    if (value === null || !fits(value)) faults.push(`${name} is ${value}`);
  };
  const isCount = (value: string) => /^(0|[1-9]\d*)$/.test(value);
  expected("X-Request-Id", (value) => uuid.test(value));
  expected("API-Version", (value) => value === "v1");
  expected("Cache-Control", (value) => value === "no-store");
  expected("RateLimit-Limit", isCount);
  expected("RateLimit-Remaining", isCount);
  expected("RateLimit-Reset", (value) => isCount(value) && Number(value) >= 1);
  expected("Content-Type", (value) => /^application\/json(; ?charset=utf-8)?$/.test(value));
  expected("RateLimit-Policy", (value) => {
    const first = /^"[a-z-]+";q=(\d+);w=(\d+)(, "[a-z-]+";q=\d+;w=\d+)*$/.exec(value);
    return (
      first?.[1] === answer.header("RateLimit-Limit") &&
      answer.number("RateLimit-Reset") <= Number(first[2])
    );
  });
  if (answer.number("RateLimit-Remaining") > answer.number("RateLimit-Limit")) {
    faults.push("more remains than the limit allows");
  }
  for (const name of answer.headers.keys()) {
    const forbidden = name.startsWith("access-control-") || ["etag", "x-powered-by"].includes(name);
    if (forbidden) faults.push(`header ${name} must not be there`);
  }
  return faults;
}

/** The faults of an error object against section 7, including the headers of its code. */
function errorFaults(answer: Answer): string[] {
  const { code, message, requestId, docUrl, details, required, ...unknown } = answer.error;
  const faults = Object.keys(unknown).map((field) => `error.${field} is not a field of an error`);
  const entry = errors[code as ErrorCode];
  if (!entry) return [...faults, `error.code ${code} is unknown`];
  const known: readonly string[] = scopes;
  const has = (name: string) => answer.headers.has(name);
  const waits = ["request_in_progress", "rate_limited", "too_many_failed_attempts"].includes(code);
  const rules: readonly (readonly [holds: boolean, fault: string])[] = [
    [entry.status === answer.status, `${code} has status ${entry.status}`],
    [message === entry.message, "error.message is not the one of its code"],
    [requestId === answer.headers.get("X-Request-Id"), "error.requestId is not X-Request-Id"],
    [URL.canParse(docUrl) && docUrl.endsWith(`#${code}`), `error.docUrl is ${docUrl}`],
    [(code === "invalid_request") === (details !== undefined), "error.details are out of place"],
    [details === undefined || details.length > 0, "error.details are empty"],
    [
      (code === "insufficient_scope") === (required !== undefined),
      "error.required is out of place",
    ],
    [(required ?? []).every((one) => known.includes(one)), "error.required holds what is no scope"],
    [waits === has("Retry-After"), "Retry-After is out of place"],
    [!waits || /^[1-9]\d*$/.test(answer.header("Retry-After")), "Retry-After is not seconds"],
    [(answer.status === 401) === has("WWW-Authenticate"), "WWW-Authenticate is out of place"],
    [
      answer.status !== 401 || answer.header("WWW-Authenticate") === challenge,
      "WWW-Authenticate is not the one challenge",
    ],
  ];
  return [...faults, ...rules.filter(([holds]) => !holds).map(([, fault]) => fault)];
}
