import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { endpointsWithId } from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { everyScope, mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const text = JSON.stringify(customer1);
const length = `Content-Length: ${text.length}`;
const json = "Content-Type: application/json";
const coded = "Transfer-Encoding: chunked";
const chunked = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const authorized = (clinic: Clinic, key = clinic.key()) => [
  "Host: queue.example",
  `Authorization: Bearer ${key}`,
  `X-Forwarded-For: ${clinic.client().address}`,
];

async function sent(...parts: (string | Uint8Array)[]): Promise<RawConnection> {
  const connection = await RawConnection.open(service);
  connection.send(...parts);
  return connection;
}

/** The response to a request on a connection of its own. */
async function answerTo(request: string, method = "GET", path = "/v1/me") {
  return (await sent(request)).answer(method, path);
}

const entriesOf = (clinic: Clinic) => `/v1/queues/${clinic.queue()}/entries`;

const create = (clinic: Clinic, headers: readonly string[], body = "", key = clinic.key()) =>
  rawRequest(`POST ${entriesOf(clinic)} HTTP/1.1`, [...authorized(clinic, key), ...headers], body);

/** Expects the result of an invalid HTTP request: a response like every other, and the end of the connection. */
async function refusedAsHttp(...parts: (string | Uint8Array)[]) {
  const connection = await sent(...parts);
  const answer = await connection.answer("GET", "/");
  expectRefusal(answer, 400, "invalid_request");
  expect(await connection.ended()).toBe("");
  expectStatus(await service.stranger().get("/v1"), 200);
  return answer;
}

async function waiting(clinic: Clinic): Promise<number> {
  return (await clinic.client().queue(clinic.queue())).data.counts.waiting;
}

describe("the framing of a body", () => {
  const close = "Connection: close";

  test.each<[string, string[], string]>([
    ["two Content-Length headers", [length, "Content-Length: 5"], text],
    ["Content-Length together with chunks", [length, coded], chunked],
    ["a broken chunk", [coded], `zz\r\n${text}\r\n0\r\n\r\n`],
    ...["+5", "-1", "0x10", "5 5", "1e3"].map((value): [string, string[], string] => {
      return [`Content-Length ${value}`, [`Content-Length: ${value}`], text];
    }),
    ...["gzip, chunked", "xchunked", "chunked, identity", "chunked, chunked"].map(
      (coding): [string, string[], string] => {
        return [`the transfer encoding ${coding}`, [`Transfer-Encoding: ${coding}`], chunked];
      },
    ),
  ])("with %s is refused, creates nothing and ends the connection", async (_, headers, body) => {
    const clinic = await service.clinic();
    const connection = await sent(create(clinic, [json, ...headers, close], body));
    expectRefusal(await connection.answer("POST", entriesOf(clinic)), 400, "invalid_request");
    expect(await connection.ended()).toBe("");
    expect(await waiting(clinic)).toBe(0);
  });

  test.each([
    ["1.0", "chunked", "absent in HTTP/1.0"],
    ...["", "gzip, chunked", "xchunked", '"chunked"'].map((coding) => ["1.1", coding, "chunked"]),
  ])(
    "with HTTP/%s and the transfer encoding %j is refused, and what follows is no request",
    async (version, coding, message) => {
      const clinic = await service.clinic();
      const headers = [json, `Transfer-Encoding: ${coding}`, "Connection: keep-alive"];
      const line = `POST ${entriesOf(clinic)} HTTP/${version}`;
      const connection = await sent(
        rawRequest(line, [...authorized(clinic), ...headers]),
        coding === "" ? "" : chunked,
        rawRequest("GET /v1/me HTTP/1.1", authorized(clinic)),
      );
      const answer = await connection.answer("POST", entriesOf(clinic));
      expect(answer.error.details).toEqual([
        { field: "Transfer-Encoding", message: `must be ${message}` },
      ]);
      expect(answer.header("Connection")).toBe("close");
      expect(await connection.ended()).toBe("");
      expect(await waiting(clinic)).toBe(0);
    },
  );

  const broken = "zz\r\n";

  test("with a broken chunk is refused with the request id and the window of its key, as the audit log records", async () => {
    const clinic = await service.clinic();
    for (const [method, path] of [
      ["POST", entriesOf(clinic)],
      ["GET", "/v1/me"],
    ] as const) {
      const request = rawRequest(`${method} ${path} HTTP/1.1`, [
        ...authorized(clinic),
        ...[json, coded],
      ]);
      for (const inTwoParts of [false, true]) {
        const connection = await sent(inTwoParts ? request : request + broken);
        if (inTwoParts) {
          await clinic.client().me(); // the request is admitted too, and waits for its body
          connection.send(broken);
        }
        const answer = await connection.answer(method, path);
        expectWrong(answer, "request");
        expect(answer.header("RateLimit-Policy")).toContain("requests");
        expect(answer.header("Connection")).toBe("close");
        expect(await connection.ended()).toBe("");
        const recorded = async () =>
          (await service.owner.audit(clinic.slug, 10)).find(
            ({ requestId }) => requestId === answer.requestId,
          );
        await expect.poll(recorded).toMatchObject({ method, path, status: 400 });
      }
    }
  });

  test("with a broken chunk is not read before the key and its scope are checked", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, scopes: ["queue:read"] }] });
    for (const [key, status] of [
      [`${clinic.key()}x`, 401],
      [clinic.key(), 403],
    ] as const) {
      const request = create(clinic, [json, coded], broken, key);
      const connection = await sent(request);
      const answer = await connection.answer("POST", entriesOf(clinic));
      expectStatus(answer, status);
      expect(answer.header("Connection")).toBe("close");
      expect(await connection.ended()).toBe("");
    }
    const statuses = async () =>
      (await service.owner.audit(clinic.slug, 10)).map((row) => row.status);
    await expect.poll(statuses).toEqual([403]);
  });

  test("with a broken chunk that has arrived is not asked for by 100 Continue", async () => {
    const clinic = await service.clinic();
    const connection = await sent(create(clinic, [json, coded, "Expect: 100-continue"], broken));
    expectWrong(await connection.answer("POST", entriesOf(clinic)), "request");
    expect(await connection.ended()).toBe("");
  });

  test("with a broken chunk that arrives after the response gets no second response", async () => {
    const clinic = await service.clinic();
    const connection = await sent(create(clinic, [json, coded], "", `${clinic.key()}x`));
    expectStatus(await connection.answer("POST", entriesOf(clinic)), 401);
    connection.send(broken);
    expect(await connection.ended()).toBe("");
  });

  test.each([
    [32_768, 201],
    [32_769, 413],
  ])("of %i bytes in chunks gets %i", async (bytes, status) => {
    const clinic = await service.clinic();
    const body = text + " ".repeat(bytes - text.length);
    const chunks = (body.match(/.{1,1000}/g) ?? []).map(
      (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
    );
    const whole = `${chunks.join("")}0\r\n\r\n`;
    const connection = await sent(create(clinic, [json, coded, close], whole));
    const answer = await connection.answer("POST", entriesOf(clinic));
    expectStatus(answer, status);
    await connection.ended();
    expect(await waiting(clinic)).toBe(status === 201 ? 1 : 0);
  });

  test.each([
    ["its headers", []],
    ["100 Continue", ["Expect: 100-continue"]],
  ])("in chunks after %s creates an entry", async (_, expecting) => {
    const clinic = await service.clinic();
    const connection = await sent(create(clinic, [json, coded, ...expecting]));
    if (expecting.length > 0) expect(await connection.interim()).toBe(100);
    else await clinic.client().me(); // the creation is admitted too, and waits for its body
    connection.send(chunked);
    expectStatus(await connection.answer("POST", entriesOf(clinic)), 201);
  });

  test.each([
    ["no bytes in chunks", [coded], "0\r\n\r\n"],
    ["no bytes after 100", [coded, "Expect: 100-continue"], "0\r\n\r\n"],
    ["a Content-Length of 00", ["Content-Length: 00"], ""],
  ])("of %s is none", async (_, framing, body) => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    const connection = await RawConnection.open(service);
    for (const [method, path] of [
      ["POST", `/v1/entries/${id}/cancel`],
      ["GET", "/v1/me"],
    ] as const) {
      connection.send(
        rawRequest(`${method} ${path} HTTP/1.1`, [...authorized(clinic), ...framing]),
      );
      await new Promise(setImmediate);
      if (framing.length > 1) expect(await connection.interim()).toBe(100);
      connection.send(body);
      expectStatus(await connection.answer(method, path), 200);
    }
  });

  const megabyte = " ".repeat(2 ** 20);
  const inChunks = `100000\r\n${megabyte}\r\n`.repeat(8).concat("0\r\n\r\n");
  const ofLength = `Content-Length: ${8 * 2 ** 20}`;

  test.each<[string, string, string[], string, number]>([
    ["8 MB", "POST", [json, ofLength], megabyte.repeat(8), 413],
    ["8 MB in chunks", "POST", [json, coded], inChunks, 413],
    ["8 MB in chunks of another type", "POST", [coded], inChunks, 415],
    ["8 MB in chunks on a GET", "GET", [coded], inChunks, 400],
  ])(
    "of %s is refused, and the connection can be used again",
    async (_, method, headers, body, status) => {
      const clinic = await service.clinic();
      const path = method === "GET" ? "/v1/me" : entriesOf(clinic);
      const connection = await sent(
        rawRequest(`${method} ${path} HTTP/1.1`, [...authorized(clinic), ...headers], body),
        rawRequest("GET /v1/me HTTP/1.1", authorized(clinic)),
      );
      expectStatus(await connection.answer(method, path), status);
      expectStatus(await connection.answer("GET", "/v1/me"), 200);
    },
  );

  test("that arrives after 100 Continue and midnight creates a token of the new day", async () => {
    const clinic = await service.clinic({ timezone: "Asia/Kathmandu" });
    const connection = await sent(create(clinic, [json, length, "Expect: 100-continue"]));
    expect(await connection.interim()).toBe(100);
    service.clock.advance({ hours: 24 });
    connection.send(text);
    const answer = await connection.answer("POST", entriesOf(clinic));
    expect(answer.data).toMatchObject({ issuedAt: new Date(service.clock.read()).toISOString() });
    expect(await waiting(clinic)).toBe(1);
  });

  test("of a cancellation that arrives after 100 Continue cancels when it arrives", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    const path = `/v1/entries/${id}/cancel`;
    const headers = [...authorized(clinic), json, "Content-Length: 2", "Expect: 100-continue"];
    const connection = await sent(rawRequest(`POST ${path} HTTP/1.1`, headers));
    expect(await connection.interim()).toBe(100);
    service.clock.advance({ seconds: 20 });
    connection.send("{}");
    const answer = await connection.answer("POST", path);
    expect(answer.data).toMatchObject({ canceledAt: new Date(service.clock.read()).toISOString() });
  });

  test("shorter than its Content-Length creates nothing", async () => {
    const clinic = await service.clinic();
    const headers = [json, `Content-Length: ${text.length + 10}`, close];
    const connection = await sent(create(clinic, headers, text));
    connection.finish();
    await connection.ended();
    expect(await waiting(clinic)).toBe(0);
  });
});

test("an unread body is never parsed as a request", async () => {
  const clinic = await service.clinic();
  const inner = rawRequest("GET /v1/me HTTP/1.1", authorized(clinic));
  const path = entriesOf(clinic);
  const [host = "", , forwarded = ""] = authorized(clinic);
  const headers = [host, forwarded, json, `Content-Length: ${inner.length}`];
  const connection = await sent(
    rawRequest(`POST ${path} HTTP/1.1`, headers, inner),
    rawRequest("GET /v1 HTTP/1.1", [host, "Connection: close"]),
  );
  expectRefusal(await connection.answer("POST", path), 401, "unauthorized");
  expect(await connection.ended()).not.toContain(clinic.slug);
});

describe("headers", () => {
  const get = (...headers: string[]) => rawRequest("GET /v1/me HTTP/1.1", headers);

  test.each([
    ["Idempotency-Key", ["Idempotency-Key: the-same-key", "Idempotency-Key: the-same-key"]],
    ["Idempotency-Key", ["Idempotency-Key: the-same-key", "Idempotency-Key: another-key"]],
    ["Content-Type", ["Content-Type: text/plain"]],
    ["Host", ["Host: queue.example"]],
  ])("a repeated %s is refused by its name: %j", async (field, repeated) => {
    const clinic = await service.clinic();
    const request = create(clinic, [json, length, ...repeated], text);
    const { error } = await answerTo(request, "POST", entriesOf(clinic));
    expect(error.details).toEqual([{ field, message: expect.stringContaining("once") }]);
    expect(await waiting(clinic)).toBe(0);
  });

  test.each([
    ["no Host header", "Host", () => get("Connection: close")],
    [
      "a body on a GET",
      "body",
      (clinic: Clinic) => get(...authorized(clinic), json, length) + text,
    ],
    [
      "another expectation than 100-continue",
      "Expect",
      (clinic: Clinic) => get(...authorized(clinic), "Expect: wonders"),
    ],
  ])("%s is refused", async (_, field, requestOf) => {
    expectWrong(await answerTo(requestOf(await service.clinic())), field);
  });

  test("HTTP/1.0, in which load balancers ask for the health, needs no Host", async () => {
    expectStatus(await answerTo(rawRequest("GET /healthz HTTP/1.0", []), "GET", "/healthz"), 200);
  });

  test("two Authorization headers are refused, even if one has a valid key", async () => {
    const clinic = await service.clinic();
    for (const other of ["Bearer nonsense", `Bearer ${clinic.key()}`, "Basic eDp5"]) {
      const answer = await answerTo(get(...authorized(clinic), `Authorization: ${other}`));
      expectRefusal(answer, 401, "unauthorized");
    }
  });

  const many = Array<string>(1_500).fill("b:");

  test("after 1,500 others are seen: the address of the caller, and duplicates", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, allowIps: ["127.0.0.1"] }] });
    const [host = "", authorization = "", forwarded = ""] = authorized(clinic);
    for (const [last, status, code] of [
      [forwarded, 403, "ip_not_allowed"],
      [authorization, 401, "unauthorized"],
    ] as const) {
      expectRefusal(await answerTo(get(host, authorization, ...many, last)), status, code);
    }
    expectWrong(await answerTo(get(host, forwarded, ...many, host)), "Host");
  });

  test.each([
    ["headers", (long: string) => get("Host: x", `X-Note: ${long}`)],
    ["a URL", (long: string) => rawRequest(`GET /v1/me?x=${long} HTTP/1.1`, ["Host: x"])],
  ])("%s of 20 KB are invalid HTTP", async (_, requestOf) => {
    const { error } = await refusedAsHttp(requestOf("a".repeat(20_000)));
    expect(error.details).toEqual([
      { field: "headers", message: "must not be larger than 16 KB, with the URL" },
    ]);
  });
});

describe("the request line", () => {
  test.each([
    ...["GET /v1/me HTTP/3.7", "GET /v1/me HTTX/1.1", "G@T /v1/me HTTP/1.1"],
    ...["JUMP /v1/me HTTP/1.1", "\x16\x03\x01\x02", "PRI * HTTP/2.0", "{}"],
  ])("%j is invalid HTTP", async (line) => {
    await refusedAsHttp(rawRequest(line, ["Host: queue.example"]));
  });

  test("invalid HTTP gets a response with the headers of every other one, in their spelling", async () => {
    const namesOf = async (line: string) => {
      const connection = await sent(rawRequest(line, ["Host: x", "Connection: close"]));
      const [head = ""] = (await connection.ended()).split("\r\n\r\n");
      return head.match(/^[\w-]+(?=:)/gm)?.sort();
    };
    expect(await namesOf("JUMP /v1 HTTP/1.1")).toEqual(await namesOf("GET /v1 HTTP/1.1"));
  });

  test.each([
    ["/v1/entries/%E0%A4%A", 400],
    ["/v1/entries/%", 400],
    ["/v1/%zz", 404],
    ["/v1/entries/%00", 400],
    ["/v1/entries/..%2f..%2fetc", 400],
    ["/v1/../v1/me", 404],
    ["/v1/./me", 404],
    ["/v1/me;x=1", 404],
    ["/v1/me%3Fx=1", 404],
    ["/v1/%6De", 404],
    ["/v1//me", 404],
    ["*", 404],
    ["http://[::1/v1/me", 200],
    ["ws://queue.example/v1/me", 200],
    ["http://xn--a:abc/v1/me", 200],
    ["HTTP://queue.example/v1/me?a=1", 400],
    ["/v1/me#x", 404],
    ["/v1\\me#x", 404],
    ["/v1/me?", 200],
    ["/v1/me?#x", 400],
    ["/v1/me?%E0%A4%A=1", 400],
    ["/v1/me?a[b]=1", 400],
    ["/v1/me?__proto__=1", 400],
    ["/v1/me?constructor=1", 400],
  ])("GET %s gets %i", async (target, status) => {
    const clinic = await service.clinic();
    const request = rawRequest(`GET ${target} HTTP/1.1`, authorized(clinic));
    const path = status === 404 ? "/v1/nothing" : "/v1/me";
    expectStatus(await answerTo(request, "GET", path), status);
  });

  test.each(endpointsWithId)(
    "$method $template refuses an id that cannot be decoded like any malformed one: by its name, after the scope",
    async ({ method, template, scope, json: body }) => {
      const others = everyScope.filter((other) => other !== scope);
      const clinic = await service.clinic({
        keys: [mainKey, { ref: "others", name: "Others", scopes: others }],
      });
      const path = template.replace(/\{\w+\}/, "%C3");
      const content = body ? ([[json, length], text] as const) : ([[], ""] as const);
      const answerFor = (key: string) => {
        const headers = [...authorized(clinic, clinic.key(key)), ...content[0]];
        const request = rawRequest(`${method} ${path} HTTP/1.1`, headers, content[1]);
        return answerTo(request, method, path);
      };
      expectWrong(await answerFor("main"), /\w+Id/.exec(template)?.[0] ?? "");
      expectRefusal(await answerFor("others"), 403, "insufficient_scope");
      const paths = async () => (await service.owner.audit(clinic.slug, 10)).map((row) => row.path);
      await expect.poll(paths).toEqual([path, path]);
    },
  );

  test("a method that a path does not have gets 404, even with an id that is invalid percent-encoding", async () => {
    const request = rawRequest(
      "DELETE /v1/entries/%C3 HTTP/1.1",
      authorized(await service.clinic()),
    );
    expectRefusal(await answerTo(request, "DELETE", "/v1/nothing"), 404, "not_found");
  });

  test("an unknown parameter after 1,000 empty ones is refused", async () => {
    const clinic = await service.clinic();
    const answer = await clinic.client().get(`/v1/me?${"&".repeat(1_000)}unknown=1`);
    expectWrong(answer, "unknown");
  });

  test.each([
    ["an absolute URL, for its path", "GET http://queue.example/v1/me HTTP/1.1", "close"],
    ["HTTP/1.0", "GET /v1/me HTTP/1.0", "close"],
    ["an upgrade, which is ignored", "GET /v1/me HTTP/1.1", "Upgrade, close\r\nUpgrade: websocket"],
  ])("a request with %s gets a response, and the connection ends", async (_, line, connected) => {
    const headers = [...authorized(await service.clinic()), `Connection: ${connected}`];
    const connection = await sent(rawRequest(line, headers));
    expectStatus(await connection.answer("GET", "/v1/me"), 200);
    expect(await connection.ended()).toBe("");
  });

  test.each([
    ["its query", (key: string) => `http://queue.example:abc/v1/me?k=${key}`],
    ["its user name", (key: string) => `http://${key}@queue.example/v1/me`],
    [
      "its user name, encoded twice",
      (key: string) => `http://${key.replaceAll("_", "%255F")}@queue.example/v1/me`,
    ],
  ])("an absolute URL with a key in %s is refused like a path with one", async (_, urlOf) => {
    const clinic = await service.clinic();
    const line = `GET ${urlOf(clinic.key())} HTTP/1.1`;
    const answer = await answerTo(rawRequest(line, authorized(clinic)));
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.text).toContain("must not contain an API key");
  });

  test("a CONNECT tunnel is refused", async () => {
    const connection = await sent(
      rawRequest("CONNECT queue.example:443 HTTP/1.1", ["Host: queue.example"]),
    );
    expect(await connection.ended()).not.toMatch(/^HTTP\/1.1 2/);
    expectStatus(await service.stranger().get("/v1"), 200);
  });

  test("a completed request gets its response, even if invalid bytes follow on the connection", async () => {
    const clinic = await service.clinic();
    const connection = await sent(`${create(clinic, [json, length], text)}NO HTTP\r\n\r\n`);
    const answer = await connection.answer("POST", entriesOf(clinic));
    expectStatus(answer, 201);
    expect(answer.header("Connection")).toBe("close");
    expect(await connection.ended()).toBe("");
    expect(await waiting(clinic)).toBe(1);
  });
});

describe("Expect: 100-continue", () => {
  const expecting = (clinic: Clinic, more: string[], key?: string) =>
    create(clinic, [json, "Expect: 100-continue", ...more], "", key);

  test.each([
    ["plain", [], text.slice(0, 10)],
    ["compressed", ["Content-Encoding: gzip"], gzipSync(text).subarray(0, 20)],
  ])(
    "a truncated %s body ends the request, which the audit log records",
    async (_, headers, part) => {
      const clinic = await service.clinic();
      const connection = await sent(expecting(clinic, [...headers, "Content-Length: 1000"]));
      expect(await connection.interim()).toBe(100);
      connection.send(part);
      connection.cut();
      const lastStatus = async () => (await service.owner.audit(clinic.slug, 1))[0]?.status;
      await expect.poll(lastStatus).toBe(400);
    },
  );

  test("gets no 100 with HTTP/1.0, which knows none", async () => {
    const clinic = await service.clinic();
    const headers = [...authorized(clinic), json, length, "Expect: 100-continue"];
    const request = rawRequest(`POST ${entriesOf(clinic)} HTTP/1.0`, headers, text);
    expectStatus(await answerTo(request, "POST", entriesOf(clinic)), 201);
  });

  test.each([
    ["an invalid key", 401, (clinic: Clinic) => expecting(clinic, [length], `${clinic.key()}x`)],
    ["no scope", 403, (clinic: Clinic) => expecting(clinic, [length], clinic.key("reader"))],
    [
      "a Content-Length over the limit",
      413,
      (clinic: Clinic) => expecting(clinic, ["Content-Length: 32769"]),
    ],
  ])("%s gets a refusal without a 100", async (_, status, requestOf) => {
    const clinic = await service.clinic({
      keys: [
        { ref: "main", name: "Main", scopes: ["queue:write"] },
        { ref: "reader", name: "Reader", scopes: ["queue:read"] },
      ],
    });
    expectStatus(await answerTo(requestOf(clinic), "POST", entriesOf(clinic)), status);
  });
});
