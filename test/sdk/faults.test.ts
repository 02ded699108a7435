import { errors } from "@queue-api/contract";
import { fetch } from "undici";
import { describe, expect, test } from "vitest";
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  IdempotencyKeyReuseError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestInProgressError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from "../../sdk/src/errors.js";
import { anEntry, anError, apiKey, entryId, giving } from "./support/examples.js";
import { always, type Behaviour, faultServer, httpAnswer, stall } from "./support/fault-server.js";
import { World } from "./support/world.js";

type ErrorClass = abstract new (...args: never[]) => Error;

interface Fault {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly error: ErrorClass;
  readonly retried: boolean;
}

/** What each error names. */
const call = { operation: "entries.get", method: "GET", path: "/v1/entries/:entryId" };

/** The errors after which the same call may succeed later. */
const mayPass = new Set<ErrorClass>([
  RequestInProgressError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
]);

const ok = httpAnswer(200, JSON.stringify({ data: anEntry() }));
const html = "<!doctype html><title>Welcome</title>";

const sends =
  (text: string): Behaviour =>
  (socket) =>
    socket.write(text);

/** The response ends within the body. */
const cut =
  (beginning: string): Behaviour =>
  (socket) =>
    socket.end(beginning);

const json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const chunked = `${json}Transfer-Encoding: chunked\r\n\r\n`;
const fragment = `${json}Connection: close\r\n\r\n{"data":{`;
const tooLong = "x".repeat(100_000);
const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: upgrade\r\n\r\n";
const redirects = [301, 302, 303, 307, 308];

const retriedCodes = ["request_timeout", "request_in_progress", "rate_limited", "internal_error"];

const classOfCode: Readonly<Record<string, ErrorClass>> = {
  request_in_progress: RequestInProgressError,
  idempotency_key_reuse: IdempotencyKeyReuseError,
};

const classOf: Readonly<Record<number, ErrorClass>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: ApiError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

const faults: readonly Fault[] = [
  ...Object.entries(errors).map(([code, { status }]) => {
    const error = classOfCode[code] ?? classOf[status] ?? ServerError;
    return answered(status, code, error, retriedCodes.includes(code));
  }),
  ...[400, 403, 409, 418, 422, 429, 501].map((status) => {
    const error = classOf[status] ?? (status === 501 ? ServerError : ApiError);
    return answered(status, "a_code_of_tomorrow", error, false);
  }),
  ...[500, 502, 503, 504].map((status) => gateway(status, ServerError, true)),
  gateway(408, ApiError, true),
  gateway(429, RateLimitError, false),
  ...[300, 304, 401, 403, 404, 413, 431].map((status) =>
    gateway(status, UnexpectedResponseError, false),
  ),
  fault("a connection that is reset", (socket) => socket.resetAndDestroy(), ConnectionError, true),
  fault("a connection that is closed", (socket) => socket.end(), ConnectionError, true),
  fault("headers that never come", stall(""), TimeoutError, true),
  fault("headers that never end", stall(ok.slice(0, 30)), TimeoutError, true),
  fault("a body that never ends", stall(ok.slice(0, -20)), TimeoutError, true),
  fault("a body cut short", cut(ok.slice(0, -20)), ConnectionError, true),
  fault("a chunked body cut short", cut(`${chunked}a\r\n{"data":{"\r\n`), ConnectionError, true),
  fault("a body of unknown length cut short", cut(fragment), UnexpectedResponseError, true),
  fault("a chunk without a size", sends(`${chunked}!\r\n`), ConnectionError, true),
  fault("headers longer than any", always(200, {}, { "X-Long": tooLong }), ConnectionError, true),
  fault("another protocol", sends(upgrade), ConnectionError, true),
  fault("something that is not HTTP", cut("SSH-2.0-OpenSSH_9.6\r\n\r\n"), ConnectionError, true),
  ...Object.entries({
    "malformed JSON of the length that was announced": sends(httpAnswer(200, '{"data":{')),
    "malformed JSON in chunks": sends(`${chunked}a\r\n{"data":{}\r\n0\r\n\r\n`),
    "HTML with status 200": sends(httpAnswer(200, html, { "Content-Type": "text/html" })),
    "HTML that calls itself JSON": sends(httpAnswer(200, html)),
    "an empty body": sends(httpAnswer(200, "")),
    "a wrong content type": always(200, { data: anEntry() }, { "Content-Type": "text/plain" }),
    "an entry without a token": always(200, { data: anEntry({ token: undefined }) }),
    "no data": always(200, {}),
    "a document that is no object": always(200, 7),
    ...Object.fromEntries(
      redirects.map((status) => [
        `a redirect ${status}`,
        always(status, {}, { Location: "/elsewhere" }),
      ]),
    ),
  }).map(([name, behaviour]) => fault(name, behaviour, UnexpectedResponseError, false)),
];

function fault(name: string, behaviour: Behaviour, error: ErrorClass, retried: boolean): Fault {
  return { name, behaviour, error, retried };
}

function answered(status: number, code: string, error: ErrorClass, retried: boolean): Fault {
  return fault(`${status} ${code}`, always(status, anError(code)), error, retried);
}

/** A page that a gateway in front of the service returns. */
function gateway(status: number, error: ErrorClass, retried: boolean): Fault {
  const page = httpAnswer(status, html, { "Content-Type": "text/html" });
  return fault(`a gateway's page with ${status}`, sends(page), error, retried);
}

test.each(faults)("$name", async ({ name, behaviour, error, retried }) => {
  const server = await faultServer(behaviour);
  const world = World.of(server);
  const failure = await world.failure(world.api.entries.get(entryId));
  const attempts = retried ? [1, 2, 3, 4] : [1];
  expect(failure).toBeInstanceOf(error);
  expect((failure as Error).constructor).toBe(error);
  expect(failure).toMatchObject({ name: error.name, attempts: attempts.length, ...call });
  const isForeignSuccess = failure instanceof UnexpectedResponseError && failure.status < 300;
  const isRetryable = name.includes("408") || mayPass.has(error) || isForeignSuccess;
  expect(failure).toHaveProperty("isRetryable", isRetryable);
  expect(server.requests).toHaveLength(attempts.length);
  expect(world.responses.map(({ attempt }) => attempt)).toEqual(attempts);
});

describe.each([
  ["the global fetch", {}],
  ["the fetch of another copy of undici, with its own Response", { fetch }],
])("with %s", (_, options) => {
  test.each([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["a response that is cut", cut(ok.slice(0, -20))],
    ["an error of the service", always(500, anError("internal_error"))],
  ] satisfies [string, Behaviour][])("%s is invisible when a retry remains", async (_, fault) => {
    const behaviours: Behaviour[] = [fault];
    const server = await faultServer((socket, request) =>
      (behaviours.pop() ?? sends(ok))(socket, request),
    );
    const world = World.of(server, options);
    expect(await world.run(world.api.entries.get(entryId))).toEqual(anEntry());
    expect(server.requests).toHaveLength(2);
  });

  test.each(redirects)(
    "a redirect %i to another host never sends the key there",
    async (status) => {
      const elsewhere = await faultServer(always(200, { data: anEntry() }));
      const location = { Location: `${elsewhere.url}/v1/entries/${entryId}` };
      const server = await faultServer(always(status, {}, location));
      const world = World.of(server, options);
      await world.failure(world.api.entries.get(entryId));
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
      expect(elsewhere.requests).toEqual([]);
    },
  );
});

test("a response can have unknown fields and enum values", async () => {
  const entry = anEntry({ status: "TELEPORTED", mood: { today: "good" } });
  const { api } = new World({ fetch: giving({ data: entry, meta: {} }) });
  expect(await api.entries.get(entryId)).toEqual(entry);
});
