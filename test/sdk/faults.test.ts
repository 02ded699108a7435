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
import { QueueApi } from "../../sdk/src/index.js";
import { longestBody } from "../../sdk/src/transport/whole-fetch.js";
import { anEntry, anError, apiKey, entryId } from "./support/examples.js";
import { always, type Behaviour, FaultServer, httpAnswer } from "./support/fault-server.js";
import { senders } from "./support/senders.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

type ErrorClass = abstract new (...args: never[]) => Error;

interface Fault {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly error: ErrorClass;
  readonly retried: boolean;
}

const ok = httpAnswer(200, JSON.stringify({ data: anEntry() }));
const html = "<!doctype html><title>Welcome</title>";

/** The response starts and then stalls. */
const stall =
  (beginning: string): Behaviour =>
  (connection) =>
    connection.write(beginning).hang();

const faults: readonly Fault[] = [
  ...answered(400, "invalid_request", InvalidRequestError, false),
  ...answered(400, "invalid_json", InvalidRequestError, false),
  ...answered(401, "unauthorized", AuthenticationError, false),
  ...answered(403, "insufficient_scope", PermissionError, false),
  ...answered(403, "api_access_disabled", PermissionError, false),
  ...answered(403, "ip_not_allowed", PermissionError, false),
  ...answered(403, "plan_limit_reached", PermissionError, false),
  ...answered(404, "not_found", NotFoundError, false),
  ...answered(408, "request_timeout", ApiError, true),
  ...answered(409, "queue_paused", ConflictError, false),
  ...answered(409, "queue_unavailable", ConflictError, false),
  ...answered(409, "invalid_state", ConflictError, false),
  ...answered(409, "request_in_progress", RequestInProgressError, true),
  ...answered(413, "payload_too_large", InvalidRequestError, false),
  ...answered(415, "unsupported_media_type", InvalidRequestError, false),
  ...answered(422, "idempotency_key_reuse", IdempotencyKeyReuseError, false),
  ...answered(429, "rate_limited", RateLimitError, true),
  ...answered(429, "too_many_failed_attempts", RateLimitError, false),
  ...answered(500, "internal_error", ServerError, true),
  ...answered(501, "a_code_of_tomorrow", ServerError, false),
  ...answered(400, "a_code_of_tomorrow", InvalidRequestError, false),
  ...answered(403, "a_code_of_tomorrow", PermissionError, false),
  ...answered(409, "a_code_of_tomorrow", ConflictError, false),
  ...answered(418, "a_code_of_tomorrow", ApiError, false),
  ...answered(422, "a_code_of_tomorrow", InvalidRequestError, false),
  ...answered(429, "a_code_of_tomorrow", RateLimitError, false),
  ...[500, 502, 503, 504].map((status) => gateway(status, ServerError, true)),
  gateway(408, ApiError, true),
  gateway(429, RateLimitError, false),
  gateway(404, UnexpectedResponseError, false),
  {
    name: "a connection that is reset",
    behaviour: (connection) => connection.reset(),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "a connection that is closed without an answer",
    behaviour: (connection) => connection.close(),
    error: ConnectionError,
    retried: true,
  },
  { name: "headers that never come", behaviour: stall(""), error: TimeoutError, retried: true },
  {
    name: "headers that never end",
    behaviour: stall(ok.slice(0, 30)),
    error: TimeoutError,
    retried: true,
  },
  {
    name: "a body that never ends",
    behaviour: stall(ok.slice(0, -20)),
    error: TimeoutError,
    retried: true,
  },
  {
    name: "a body cut short",
    behaviour: (connection) => connection.write(ok.slice(0, -20)).close(),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "a chunked body cut short",
    behaviour: (connection) =>
      connection
        .write(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        )
        .write('a\r\n{"data":{"\r\n')
        .close(),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "a body of unknown length cut short",
    behaviour: (connection) =>
      connection
        .write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"data":{',
        )
        .close(),
    error: UnexpectedResponseError,
    retried: true,
  },
  {
    name: "a chunk without a size",
    behaviour: (connection) =>
      connection.write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n!\r\n",
      ),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "headers longer than any",
    behaviour: always(200, { data: anEntry() }, { "X-Long": "x".repeat(100_000) }),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "malformed JSON of the length that was announced",
    behaviour: (connection) => connection.write(httpAnswer(200, '{"data":{')),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "HTML with status 200",
    behaviour: (connection) =>
      connection.write(httpAnswer(200, html, { "Content-Type": "text/html" })),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "HTML that calls itself JSON",
    behaviour: (connection) => connection.write(httpAnswer(200, html)),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "an empty body",
    behaviour: (connection) => connection.write(httpAnswer(200, "")),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "an entry under a wrong content type",
    behaviour: always(200, { data: anEntry() }, { "Content-Type": "text/plain" }),
    error: UnexpectedResponseError,
    retried: false,
  },
  ...[{}, { data: null }, { data: [] }, null, 7].map((document) => ({
    name: `the document ${JSON.stringify(document)}`,
    behaviour: always(200, document),
    error: UnexpectedResponseError,
    retried: false,
  })),
  {
    name: "an entry without a token",
    behaviour: always(200, { data: anEntry({ token: undefined }) }),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "a customer who is a number",
    behaviour: always(200, { data: anEntry({ customer: { name: 5, phone: null } }) }),
    error: UnexpectedResponseError,
    retried: false,
  },
  {
    name: "another protocol",
    behaviour: (connection) =>
      connection.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: upgrade\r\n\r\n",
      ),
    error: ConnectionError,
    retried: true,
  },
  {
    name: "something that is not HTTP",
    behaviour: (connection) => connection.write("SSH-2.0-OpenSSH_9.6\r\n\r\n").close(),
    error: ConnectionError,
    retried: true,
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    name: `a redirect ${status}`,
    behaviour: always(status, {}, { Location: "/elsewhere" }),
    error: UnexpectedResponseError,
    retried: false,
  })),
];

function answered(status: number, code: string, error: ErrorClass, retried: boolean): Fault[] {
  return [{ name: `${status} ${code}`, behaviour: always(status, anError(code)), error, retried }];
}

/** A page that a gateway in front of the service returns. */
function gateway(status: number, error: ErrorClass, retried: boolean): Fault {
  const page = httpAnswer(status, html, { "Content-Type": "text/html" });
  return {
    name: `a gateway's page with ${status}`,
    behaviour: (connection) => connection.write(page),
    error,
    retried,
  };
}

const settings = senders.flatMap(({ sender, options }) =>
  [0, 1, 3].map((maxRetries) => ({ sender, maxRetries, options: { ...options, maxRetries } })),
);

describe.each(settings)("with $sender and maxRetries $maxRetries", ({ maxRetries, options }) => {
  for (const { name, behaviour, error, retried } of faults) {
    test(name, async () => {
      const server = await FaultServer.start(behaviour);
      const world = World.of(server, options);
      const failure = await world.failure(world.api.entries.get(entryId));
      const sent = retried ? maxRetries + 1 : 1;
      expect(failure).toBeInstanceOf(error);
      expect((failure as Error).constructor).toBe(error);
      expect(failure).toMatchObject({ name: error.name, attempts: sent });
      expect(server.requests).toHaveLength(sent);
      expect(world.responses.map(({ attempt }) => attempt)).toEqual(upTo(sent));
      expect(world.clock.pending).toBe(0);
    });
  }

  test("a port without a listener", async () => {
    const server = await FaultServer.start(always(200, {}));
    const world = World.of(server, options);
    const { url } = server;
    await server.stop();
    const failure = await world.failure(world.api.entries.get(entryId));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({
      message: `entries.get: no answer came from ${new URL(url).host}: the connection was refused (ECONNREFUSED).`,
      attempts: maxRetries + 1,
      cause: expect.any(Error),
    });
  });

  test("a host that does not exist", async () => {
    const world = new World({ baseUrl: "http://nobody.invalid", ...options });
    const failure = await world.failure(world.api.entries.get(entryId));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({
      message: expect.stringContaining("the host name"),
      attempts: maxRetries + 1,
    });
  });

  test("a temporary fault is invisible when a retry remains", async () => {
    const server = await FaultServer.start((connection) =>
      server.requests.length === 1 ? connection.reset() : connection.write(ok),
    );
    const world = World.of(server, options);
    const call = world.api.entries.get(entryId);
    if (maxRetries === 0) expect(await world.failure(call)).toBeInstanceOf(ConnectionError);
    else expect(await world.run(call)).toEqual(anEntry());
    expect(server.requests).toHaveLength(Math.min(2, maxRetries + 1));
  });
});

describe.each(senders)("with $sender, a response", ({ options }) => {
  test("can follow any number of interim responses", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(2);
    const server = await FaultServer.start((connection) => connection.write(interim + ok));
    const world = World.of(server, options);
    expect(await world.run(world.api.entries.get(entryId))).toEqual(anEntry());
    expect(server.requests).toHaveLength(1);
  });

  test("beyond the size limit is not read to its end", async () => {
    const headers = { "Content-Length": String(longestBody * 2) };
    const long = httpAnswer(200, " ".repeat(longestBody + 1), headers);
    const server = await FaultServer.start((connection) => connection.write(long).hang());
    const { api } = World.of(server, options);
    const failure = await api.entries.get(entryId).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect(failure).toMatchObject({ attempts: 1 });
    while (server.hanging > 0) await turnOfTheLoop(); // the client closes the connection
  });

  test("can have unknown fields and enum values", async () => {
    const entry = anEntry({ status: "TELEPORTED", mood: { today: "good" } });
    const server = await FaultServer.start(always(200, { data: entry, meta: {} }));
    const world = World.of(server, options);
    expect(await world.run(world.api.entries.get(entryId))).toEqual(entry);
  });
});

test.each([
  ["compressed", { "content-encoding": "gzip" }],
  ["sent in chunks", { "transfer-encoding": "chunked" }],
])(
  "a response that is %s is not read to its end, regardless of its Content-Length",
  async (_, header) => {
    const megabyte = new Uint8Array(1024 * 1024);
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        sent += megabyte.length;
        if (sent > longestBody * 4) controller.close();
        else controller.enqueue(megabyte);
      },
    });
    const headers = { "content-type": "application/json", "content-length": "9", ...header };
    const fetch = async () => new Response(body, { headers });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    const failure = await api.entries.get(entryId).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedResponseError);
    expect(sent).toBeLessThan(longestBody * 2);
  },
);

describe.each(senders)("with $sender, a redirect to another host", ({ options }) => {
  test.each([301, 302, 303, 307, 308])("%i never sends the key there", async (status) => {
    const elsewhere = await FaultServer.start(always(200, { data: anEntry() }));
    const location = { Location: `${elsewhere.url}/v1/entries/${entryId}` };
    const server = await FaultServer.start(always(status, {}, location));
    const world = World.of(server, options);
    await world.failure(world.api.entries.get(entryId));
    expect(server.requests[0]?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
    expect(elsewhere.requests).toEqual([]);
    expect(elsewhere.connections).toBe(0);
  });
});

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
