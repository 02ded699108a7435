import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { customer1, type RequestOptions } from "../support/client.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();
const text = JSON.stringify(customer1);

/** Creates an entry with this body, sent unchanged. */
async function post(options: RequestOptions) {
  const clinic = await service.clinic();
  const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, options);
  const { data } = await clinic.client().queue(clinic.queue());
  expect(data.counts.waiting, "an entry exists if and only if it was acknowledged").toBe(
    answer.status === 201 ? 1 : 0,
  );
  return answer;
}

const json = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  post({ body, headers: { "Content-Type": "application/json", ...headers } });

describe("the content type of a body", () => {
  test.each([
    ...["application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8"],
    ...['application/json; charset="utf-8"', "Application/JSON"],
  ])("%s is accepted", async (type) => {
    expectStatus(await post({ body: text, headers: { "Content-Type": type } }), 201);
  });

  test.each([
    ...["text/plain", "text/json", "application/xml", "application/x-www-form-urlencoded"],
    ...["multipart/form-data; boundary=x", "application/problem+json", "application/jsonp"],
    ...["application/json, text/plain", "application/json; charset=utf-16"],
    ...["application/json; charset=iso-8859-1", "json", "*/*"],
  ])("%s is refused", async (type) => {
    const answer = await post({ body: text, headers: { "Content-Type": type } });
    expectRefusal(answer, 415, "unsupported_media_type");
  });

  test("a missing content type is refused", async () => {
    const bytes = new TextEncoder().encode(text);
    expectRefusal(await post({ body: bytes }), 415, "unsupported_media_type");
  });

  test("a body on a cancellation needs a content type too", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const path = `/v1/entries/${clinic.entry("first")}/cancel`;
    const answer = await clinic.client().post(path, { body: "{}" });
    expectRefusal(answer, 415, "unsupported_media_type");
    expect((await clinic.client().entry(clinic.entry("first"))).data.status).toBe("WAITING");
  });

  test("a creation without a body, or with an empty one, is refused", async () => {
    for (const answer of [await post({}), await json("")]) {
      expectWrong(answer, "body");
      expect(answer.error.details).toEqual([{ field: "body", message: "is required" }]);
    }
  });
});

describe("a body that is not JSON", () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const utf8 = new TextEncoder();

  test.each([
    ["cut short", text.slice(0, -1)],
    ["two values", `${text}${text}`],
    ["a trailing comma", '{"name":"A","phone":"919800000001",}'],
    ["a comment", `${text} // thanks`],
    ["single quotes", "{'name':'A'}"],
    ["NaN", '{"name":NaN}'],
    ["a raw line break in a string", '{"name":"A\nB","phone":"919800000001"}'],
    ["spaces alone", "   "],
    ["a form", "name=A&phone=919800000001"],
    ["a byte order mark before the body", `\ufeff${text}`],
  ])("%s", async (_, body) => {
    expectRefusal(await json(body), 400, "invalid_json");
  });

  test.each([
    ["a lone continuation byte", bytes(0x80)],
    ["a character cut short", bytes(0xe2, 0x82)],
    ["an overlong character", bytes(0xc0, 0xaf)],
    ["a surrogate", bytes(0xed, 0xa0, 0x80)],
    ["a byte that never occurs", bytes(0xff)],
  ])("broken UTF-8: %s", async (_, broken) => {
    const head = utf8.encode('{"name":"');
    const tail = utf8.encode('","phone":"919800000001"}');
    const body = new Uint8Array([...head, ...broken, ...tail]);
    expectRefusal(await json(body), 400, "invalid_json");
  });
});

describe("JSON that is not a valid request", () => {
  test("16,000 nested arrays are refused, and the service keeps running", async () => {
    const deep = "[".repeat(16_000) + "]".repeat(16_000);
    const answer = await json(deep);
    expect(answer.status).toBe(400);
    const inField = await json(`{"name":${deep},"phone":"919800000001"}`);
    expect(inField.status).toBe(400);
    expectStatus(await service.stranger().get("/v1"), 200);
  });

  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
    "%s is an unknown field like any other",
    async (name) => {
      const answer = await json(`{"name":"A","phone":"919800000001","${name}":{"priority":true}}`);
      expectWrong(answer, name);
      expect(({} as { priority?: boolean }).priority).toBeUndefined();
    },
  );

  test.each([
    ["name", '{"name":"A","phone":"919800000001","name":"B"}'],
    ["phone", '{"phone":"919800000001","name":"A","phone":"919800000001"}'],
    ["name", '{"name":"A","phone":"919800000001","n\\u0061me":"B"}'],
  ])("a repeated %s is refused by its name", async (field, body) => {
    expectWrong(await json(body), field);
  });

  test("the response does not contain an API key that is a repeated field name", async () => {
    const key = `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`;
    const answer = await json(`{"${key}":1,"${key}":2}`);
    expectWrong(answer, "(an API key)");
    expect(answer.text).not.toContain(key);
  });

  test("of many repeated fields with long paths, the response names the first, shortened", async () => {
    const list = Array.from({ length: 1_360 }, () => '{"":1,"":1}').join();
    const answer = await json(`{"${"L".repeat(16_400)}":[${list}]}`);
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.error.details).toHaveLength(20);
    expect(answer.text.length).toBeLessThan(4_000);
  });

  test("a field name inside a value is not a repeated field", async () => {
    expectStatus(await json('{"name":"name\\",\\"name","phone":"919800000001"}'), 201);
  });
});

describe("content encodings", () => {
  const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const codings = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", (text: string | Buffer) => brotliCompressSync(text, quickly)],
  ] as const;
  const sized = (bytes: number) => text + " ".repeat(bytes - Buffer.byteLength(text));

  const longer = (text: string | Buffer) => gzipSync(text, { level: 0 });

  test.each([...codings, ["GZIP", longer] as const])(
    "the limit of 32,768 bytes applies to the body decompressed from %s",
    async (coding, deflated) => {
      const headers = { "Content-Encoding": coding };
      const fits = await json(Uint8Array.from(deflated(sized(32_768))), headers);
      expectStatus(fits, 201);
      const tooLarge = await json(Uint8Array.from(deflated(sized(32_769))), headers);
      expectRefusal(tooLarge, 413, "payload_too_large");
    },
  );

  test.each(codings)("a compression bomb of 20 MB in %s is refused", async (coding, deflated) => {
    const bomb = Uint8Array.from(deflated(Buffer.alloc(20_000_000, " ")));
    const answer = await json(bomb, { "Content-Encoding": coding });
    expectRefusal(answer, 413, "payload_too_large");
  });

  test.each([
    ...["gzip, gzip", "gzip, br", "identity, gzip", "compress", "zstd", "x"],
    ...["constructor", "__proto__"],
  ])("%s is refused", async (coding) => {
    const body = Uint8Array.from(gzipSync(text));
    const answer = await json(body, { "Content-Encoding": coding });
    expectRefusal(answer, 415, "unsupported_media_type");
  });

  test.each(codings)("a body that is not %s is refused", async (coding) => {
    expectWrong(await json(text, { "Content-Encoding": coding }), "Content-Encoding");
  });

  test.each(codings)("a truncated body in %s is refused", async (coding, deflated) => {
    const whole = deflated(text);
    const body = Uint8Array.from(whole.subarray(0, whole.length - 6));
    expectWrong(await json(body, { "Content-Encoding": coding }), "Content-Encoding");
  });

  test.each(codings)(
    "a body in %s with bytes after its end is refused",
    async (coding, deflated) => {
      for (const rest of ["x", "\0", "\0x", text]) {
        const body = Uint8Array.from(Buffer.concat([deflated(text), Buffer.from(rest)]));
        expectWrong(await json(body, { "Content-Encoding": coding }), "Content-Encoding");
      }
    },
  );

  test("a body in gzip may have several members", async () => {
    const members = [gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))];
    const body = Uint8Array.from(Buffer.concat(members));
    expectStatus(await json(body, { "Content-Encoding": "gzip" }), 201);
  });
});
