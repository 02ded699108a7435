import { expect, test } from "vitest";
import { testService } from "../support/service.js";

const service = await testService();

test("the OpenAPI document is compressed by Accept-Encoding, with a Vary header", async () => {
  const caller = service.stranger();
  const read = (coding: string) =>
    caller.get("/v1/openapi.json", { headers: { "Accept-Encoding": coding } });
  const [plain, gzip, br] = [await read("identity"), await read("gzip"), await read("gzip, br")];
  const codings = [plain, gzip, br].map(({ headers }) => headers.get("Content-Encoding"));
  expect(codings).toEqual([null, "gzip", "br"]);
  expect(plain.header("Vary")).toBe("Accept-Encoding");
  expect(gzip.text).toBe(plain.text);
  expect(br.text).toBe(plain.text);
  expect(plain.number("Content-Length")).toBe(Buffer.byteLength(plain.text));
  expect(gzip.number("Content-Length")).toBeLessThan(plain.number("Content-Length") / 5);
  expect((await read("br;q=0, gzip;q=0.5")).header("Content-Encoding")).toBe("gzip");
});
