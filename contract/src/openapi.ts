import type { AppRoute } from "@ts-rest/core";
import type { z } from "zod";
import { type ErrorCode, errorCodes, errorDocUrl, errors } from "./errors.js";
import { commonHeaders, errorHeaders, headerSpelling, type ResponseHeader } from "./headers.js";
import { exampleOf, type JsonSchema, type NamedSchemas, schemaOf } from "./json-schema.js";
import { limits } from "./limits.js";
import { apiVersion, openApiVersion, type RouteMetadata, routes } from "./routes.js";

/** The URLs of the service and of its documentation, without a trailing slash. */
export interface Addresses {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** An OpenAPI 3.1 document, as JSON. */
export interface OpenApiDocument extends JsonSchema {
  openapi: string;
  paths: Record<string, Record<string, JsonSchema>>;
}

/** The components that operations refer to, collected while the operations are described. */
interface Components {
  readonly schemas: NamedSchemas;
  readonly responses: Record<string, JsonSchema>;
}

/** The groups of routes in the documentation. */
const tags = {
  me: { name: "Me", description: "The API key of the request, its business and its limits." },
  services: { name: "Services", description: "Services that the business does for customers." },
  queues: { name: "Queues", description: "The queues of the business, and the counts of a day." },
  entries: { name: "Entries", description: "The tokens of a queue." },
  appointments: {
    name: "Appointments",
    description: "The appointments of the business. The API can only read them.",
  },
  public: { name: "About", description: "Endpoints that need no key." },
} as const satisfies Record<keyof typeof routes, { name: string; description: string }>;

const limitsInWords = [
  `A key can make ${limits.requestsPerMinute} requests in ${limits.keyWindowSeconds} seconds, of which ${limits.writesPerMinute} can be POST. A key can have other limits: \`GET /v1/me\` returns them.`,
  `After ${limits.failedSignIns} responses with status 401 within ${limits.failedSignInWindowSeconds / 60} minutes, the service refuses all requests from that address that need a key, until this window ends.`,
  `A request body can have at most ${limits.maxBodyBytes} bytes.`,
  `The audit log keeps requests with a valid key for ${limits.auditRetentionDays} days, without bodies and keys. It adds up many refusals of one key in a minute. It leaves out requests that need no key, and those that are refused before their key is checked, such as a request with a key in its URL.`,
].join(" ");

/**
 * The OpenAPI 3.1 document of the service, generated from the routes. The same URLs give the same
 * document.
 */
export function openApiDocument({ baseUrl, docsUrl }: Addresses): OpenApiDocument {
  const components: Components = { schemas: {}, responses: {} };
  const paths: OpenApiDocument["paths"] = {};
  for (const [group, members] of Object.entries(routes)) {
    const tag = tags[group as keyof typeof tags].name;
    for (const route of Object.values(members) as AppRoute[]) {
      const path = route.path.replace(/:(\w+)/g, "{$1}");
      const operation = describe(route, tag, docsUrl, components);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: openApiVersion,
    info: {
      title: "Queue API",
      version: apiVersion.full,
      summary: "A server-to-server API for one business's queue.",
      description: [
        "The software of a business reads its queues, entries, services and appointments, and creates or cancels entries.",
        "A key gives access to one business. For the ids of other businesses, the service returns 404.",
        "The API is for servers only. It sends no CORS headers. Never put a key into a browser or a URL.",
        "New fields and error codes can be added at any time. Ignore unknown fields, and handle an unknown error code by its HTTP status.",
        limitsInWords,
      ].join("\n\n"),
      contact: { name: "Queue API", url: docsUrl },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl, description: "This service." }],
    externalDocs: { description: "Developer reference", url: docsUrl },
    security: [{ apiKey: [] }],
    tags: Object.values(tags),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "svc_live_<id>_<secret>",
          description: `An API key, created by the business owner. It is valid for ${limits.keyLifetimeDays.min} to ${limits.keyLifetimeDays.max} days, by default ${limits.keyLifetimeDays.default}. A business can have ${limits.activeKeys} active keys. Never send a key in a URL.`,
        },
      },
      headers: Object.fromEntries(
        Object.entries(commonHeaders).map(([name, header]) => [
          name.replaceAll("-", ""),
          describeHeader(header, true),
        ]),
      ),
      responses: sorted(components.responses),
      schemas: sorted(components.schemas),
    },
  };
}

function describe(
  route: AppRoute,
  tag: string,
  docsUrl: string,
  components: Components,
): JsonSchema {
  const { schemas } = components;
  const metadata = route.metadata as RouteMetadata;
  const body = needsBody(route) ? schemaOf("body", route.body, schemas) : null;
  const parameters = [
    ...describeParameters("path", route.pathParams, schemas),
    ...describeParameters("query", route.query, schemas),
    ...describeParameters("header", route.headers, schemas),
  ];
  const isPublic = metadata.access === "public";
  const scope = isPublic ? null : metadata.access;
  const without = isPublic ? "Needs no key." : "Works with any valid key.";
  const needed = scope ? `Needs the scope \`${scope}\`.` : without;
  const counts = route.method === "POST" ? ["Counts as a write and as a request."] : [];
  return {
    operationId: metadata.operationId,
    tags: [tag],
    summary: route.summary,
    description: [route.description, needed, ...counts].join("\n\n"),
    ...(isPublic && { security: [] }),
    ...(scope && { "x-required-scopes": [scope] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        description: `JSON of at most ${limits.maxBodyBytes} bytes, measured after decompression.`,
        content: { "application/json": { schema: body, example: exampleOf(body, schemas) } },
      },
    }),
    responses: describeResponses(route, metadata, docsUrl, components),
  };
}

/**
 * Whether a body is required. An optional body is left out of the description, because it has no content and
 * generated clients would send one.
 */
function needsBody(route: AppRoute): route is AppRoute & { body: z.ZodType } {
  return "body" in route && !(route.body as z.ZodType).safeParse(undefined).success;
}

function describeParameters(
  place: "path" | "query" | "header",
  schema: unknown,
  schemas: NamedSchemas,
): JsonSchema[] {
  const shape = (schema as z.ZodObject | undefined)?.shape ?? {};
  return Object.entries(shape).map(([name, part]) => {
    const { description, examples, ...rest } = schemaOf("parameter", part as z.ZodType, schemas);
    const optional = (part as z.ZodType).safeParse(undefined).success;
    return {
      name: headerSpelling[name] ?? name,
      in: place,
      required: !optional,
      description,
      schema: rest,
      ...(Array.isArray(examples) && { example: examples[0] }),
    };
  });
}

function describeResponses(
  route: AppRoute,
  metadata: RouteMetadata,
  docsUrl: string,
  { schemas, responses }: Components,
): JsonSchema {
  const described: JsonSchema = {};
  for (const [status, made] of Object.entries(route.responses)) {
    const schema = schemaOf("response", made as z.ZodType, schemas);
    const codes = metadata.errors.filter((code) => errors[code].status === Number(status));
    if (codes.length === 0) {
      described[status] = {
        description: metadata.success,
        headers: describeHeaders(metadata.headers ?? {}, false),
        content: { "application/json": { schema, example: exampleOf(schema, schemas) } },
        ...(metadata.links && { links: metadata.links }),
      };
    } else if (codes.some((code) => ownCodes.has(code))) {
      described[status] = describeErrorResponse(codes, schema, metadata, docsUrl);
    } else {
      const name = errorResponseName(codes, metadata);
      responses[name] ??= describeErrorResponse(codes, schema, metadata, docsUrl);
      described[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  responses.UnexpectedResponse ??= unexpectedResponse;
  described.default = { $ref: "#/components/responses/UnexpectedResponse" };
  return described;
}

/** The response for errors that do not come from the service, and for codes that later versions add. */
const unexpectedResponse = {
  description:
    "Any other status. It comes from a system between the client and the service, for example a 502 of a gateway, or a later version added it. The body may not be JSON: decide by the status.",
};

/** Codes that only one operation returns. Its error response is described in place; all others are shared. */
const ownCodes = new Set(
  errorCodes.filter((code) => {
    const all = Object.values(routes).flatMap((group) => Object.values(group) as AppRoute[]);
    return (
      all.filter(({ metadata }) => (metadata as RouteMetadata).errors.includes(code)).length === 1
    );
  }),
);

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  408: "RequestTimeout",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalServerError",
};

/**
 * The name of an error response: its status and what distinguishes it. Responses with the same name are the
 * same.
 */
function errorResponseName(codes: readonly ErrorCode[], { access }: RouteMetadata): string {
  const status = errors[codes[0] as ErrorCode].status;
  const reason = reasons[status];
  if (!reason) throw new Error(`an error response with status ${status} has no name yet`);
  if (codes.includes("insufficient_scope")) return reason + pascalCase(`${access}`);
  return codes.includes("invalid_json") ? `${reason}WithBody` : reason;
}

function describeErrorResponse(
  codes: readonly ErrorCode[],
  schema: JsonSchema,
  { access }: RouteMetadata,
  docsUrl: string,
): JsonSchema {
  const special: Record<string, ResponseHeader> = {};
  for (const code of codes) Object.assign(special, errorHeaders[code]);
  const always =
    codes.every((code) => errorHeaders[code] !== undefined) &&
    Object.values(special).every(({ optional }) => !optional);
  const examples = codes.map((code) => {
    const { message, when: summary } = errors[code];
    const error = {
      code,
      message,
      requestId: commonHeaders["X-Request-Id"].example,
      docUrl: errorDocUrl(docsUrl, code),
      ...(code === "invalid_request" && {
        details: [{ field: "verbose", message: "unknown parameter" }],
      }),
      ...(code === "insufficient_scope" && { required: [access] }),
    };
    return [code, { summary, value: { error } }];
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].when}`).join("\n\n"),
    headers: describeHeaders(special, always),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

function describeHeaders(
  special: Readonly<Record<string, ResponseHeader>>,
  required: boolean,
): JsonSchema {
  const common = Object.keys(commonHeaders).map((name) => [
    name,
    { $ref: `#/components/headers/${name.replaceAll("-", "")}` },
  ]);
  const own = Object.entries(special).map(([name, header]) => [
    name,
    describeHeader(header, required || name === "Location"),
  ]);
  return Object.fromEntries([...common, ...own]);
}

function describeHeader(
  { schema, description, example }: ResponseHeader,
  required: boolean,
): JsonSchema {
  return { description, required, schema: schemaOf("parameter", schema, {}), example };
}

function pascalCase(words: string): string {
  return words.replace(/(?:^|[_:])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function sorted(schemas: NamedSchemas): NamedSchemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
