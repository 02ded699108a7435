import { describe, expect, test } from "vitest";
import type { AuditRow } from "../../server/src/rules/records.js";
import type { Clinic } from "../support/clinic.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { errorAt, linkTo, rowsOf, textOf } from "./support/html.js";
import { ownedClinic } from "./support/quick-sign-in.js";

const service = await testService();
const { clock, store } = service;
const hour = 3_600_000;

const open = (seed?: BusinessSeed) => ownedClinic(service, seed);

/** Rows of a business's log: one per hour, the first at this time. */
function rowsAt(clinic: Clinic, from: number, changes: readonly Partial<AuditRow>[]): AuditRow[] {
  return changes.map((change, n) => ({
    businessId: clinic.id,
    keyId: clinic.keyId(),
    account: null,
    at: from + n * hour,
    method: "GET",
    path: `/v1/path${n}`,
    status: 200,
    ip: "203.0.113.7",
    requestId: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    sum: null,
    ...change,
  }));
}

describe("the audit log", () => {
  test("shows requests, newest first, with status, key, address and id", async () => {
    const { clinic, visitor } = await open();
    const me = await clinic.client().me();
    const nothing = await clinic.client().get("/v1/nothing");
    const found = async () => rowsOf((await visitor.get("/dashboard/audit")).body);
    await expect.poll(found).toHaveLength(2); // rows of reads are stored in batches
    const address = clinic.client().address;
    const time = expect.stringMatching(/^\d\d? \w{3} \d{4}, \d\d:\d\d:\d\d$/);
    expect(await found()).toEqual([
      [time, "GET /v1/nothing", "404", "Main", address, nothing.requestId],
      [time, "GET /v1/me", "200", "Main", address, me.requestId],
    ]);
  });

  test("explains itself when it is empty", async () => {
    const { visitor } = await open();
    const { body } = await visitor.get("/dashboard/audit");
    expect(textOf(body)).toContain("There are no requests yet.");
    expect(linkTo(body, "Make a key")).toBe("/dashboard/keys");
  });

  test("shows a sum of requests on the page and in the file", async () => {
    const { clinic, visitor } = await open();
    const from = Date.parse("2026-11-20T04:30:00Z");
    const sum = { count: 4_812, lastAt: from + 59_000 };
    await store.audit.append(rowsAt(clinic, from, [{ status: 429, path: "/v1/me", sum }]));
    const [row] = rowsOf((await visitor.get("/dashboard/audit")).body);
    expect(row?.slice(0, 3)).toEqual([
      "20 Nov 2026, 10:00:00 to 20 Nov 2026, 10:00:59",
      "4812 requests, the last: GET /v1/me",
      "429",
    ]);
    const { body } = await visitor.get("/dashboard/audit.csv");
    const [, line = ""] = body.split("\r\n");
    expect(line.startsWith('"2026-11-20T04:30:00.000Z"')).toBe(true);
    expect(line.endsWith('4812,"2026-11-20T04:30:59.000Z",""')).toBe(true);
  });

  test("shows times in the business's time zone", async () => {
    const { clinic, visitor } = await open({ timezone: "America/New_York" });
    await store.audit.append(rowsAt(clinic, Date.parse("2026-11-01T05:30:00Z"), [{}, {}]));
    const { body } = await visitor.get("/dashboard/audit");
    // The clock went back at 02:00, so 01:30 occurred twice.
    expect(rowsOf(body).map(([time]) => time)).toEqual([
      "1 Nov 2026, 01:30:00",
      "1 Nov 2026, 01:30:00",
    ]);
    expect(body).toContain(`<time datetime="2026-11-01T06:30:00.000Z">`);
    expect(textOf(body)).toContain("by the clock of America/New_York");
  });

  describe("searched", () => {
    const from = Date.parse("2026-11-19T16:30:00Z"); // 22:00 in India
    const changes = [
      { path: "/v1/a" },
      { path: "/v1/b", status: 404 },
      { path: "/v1/c", status: 429 },
      { path: "/v1/queues", status: 500 },
    ];

    test.each([
      ["by status", "?status=404", ["b"]],
      ["by a class of statuses", "?status=4xx", ["c", "b"]],
      ["by a path prefix", "?path=/v1/q", ["queues"]],
      ["by a first day", "?from=2026-11-20", ["queues", "c"]],
      ["by a last day", "?to=2026-11-19", ["b", "a"]],
      ["by one day and a class", "?from=2026-11-20&to=2026-11-20&status=5xx", ["queues"]],
      ["by key", "?key=KEY", ["b"]],
      ["with nothing filled in", "?key=&status=&path=&from=&to=", ["queues", "c", "b", "a"]],
      ["without a match", "?path=/v1/nothing", []],
    ] as const)("%s shows those rows, and keeps the selection", async (_, query, expected) => {
      const { clinic, visitor } = await open({
        keys: [mainKey, { ref: "office", name: "Office" }],
      });
      const office = clinic.keyId("office");
      const [a = {}, second, ...others] = changes;
      await store.audit.append(rowsAt(clinic, from, [a, { ...second, keyId: office }, ...others]));
      const { body } = await visitor.get(`/dashboard/audit${query.replace("KEY", office)}`);
      const paths = rowsOf(body).map(([, request = ""]) => request.replace("GET /v1/", ""));
      expect(paths).toEqual(expected);
      if (!query.includes("KEY")) return;
      expect(body).toContain(`<option value="${office}" selected>Office</option>`);
      expect(linkTo(body, "Download as CSV")).toBe(`/dashboard/audit.csv?key=${office}`);
    });

    test.each([
      ["status", "40", "Status must be a status like 404, or a class like 4xx."],
      ["path", "v1", "Path must begin with /."],
      ["from", "2026-02-30", "From must be a day that exists."],
      ["to", "yesterday", "To must be a date like 2026-11-21."],
    ])("by %s %j shows an error at the field", async (field, typed, message) => {
      const { visitor } = await open();
      const query = new URLSearchParams({ [field]: typed });
      const { status, body } = await visitor.get(`/dashboard/audit?${query}`);
      expect(status).toBe(422);
      expect(errorAt(body, field)).toBe(message);
      expect((await visitor.get(`/dashboard/audit.csv?${query}`)).status).toBe(422);
    });
  });

  test("continues page by page, each row once, even when new requests arrive", async () => {
    const { clinic, visitor } = await open();
    const many = Array.from({ length: 120 }, () => ({}));
    const rows = rowsAt(clinic, clock.read() - 200 * hour, many);
    await store.audit.append(rows);
    const seen: string[] = [];
    let page = await visitor.get("/dashboard/audit?status=2xx");
    for (;;) {
      seen.push(...rowsOf(page.body).map((row) => row[5] ?? ""));
      if (!page.body.includes(">Older<")) break;
      await store.audit.append(rowsAt(clinic, clock.read(), [{ status: 200 }]));
      page = await visitor.get(linkTo(page.body, "Older"));
    }
    expect(seen).toEqual(rows.map(({ requestId }) => requestId).reverse());
    expect(linkTo(page.body, "Newest")).toBe("/dashboard/audit?status=2xx");
  });

  test("refuses an unknown cursor", async () => {
    const { visitor } = await open();
    expect((await visitor.get("/dashboard/audit?after=1")).status).toBe(404);
  });
});

describe("the log as a file", () => {
  /** The cells of each line of a file, by RFC 4180. */
  function read(csv: string): string[][] {
    const lines = csv.replace(/^\uFEFF/, "").split("\r\n");
    expect(lines.pop()).toBe(""); // each line has a line end, including the last one
    return lines.map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
      ),
    );
  }

  test("has all rows of the page's search, and the name of the business in its file name", async () => {
    const { clinic, visitor } = await open();
    const many = Array.from({ length: 3_500 }, (_, n) => ({ status: n % 2 ? 200 : 404 }));
    const rows = rowsAt(clinic, clock.read() - 2_000 * hour, many);
    await store.audit.append(rows);
    const { status, headers, body } = await visitor.get("/dashboard/audit.csv?status=404");
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toMatch(/^text\/csv; charset=utf-8/);
    expect(headers.get("Content-Disposition")).toBe(
      `attachment; filename=audit-${clinic.slug}-2026-11-21.csv`,
    );
    expect(headers.get("Cache-Control")).toBe("no-store");
    const [headings, ...lines] = read(body);
    expect(headings?.join()).toBe(
      "time,method,path,status,key_id,key_name,address,request_id,requests,last_time,account",
    );
    const expected = rows.filter((row) => row.status === 404).reverse();
    expect(lines).toHaveLength(expected.length);
    const [first] = expected;
    expect(lines[0]).toEqual([
      ...[new Date(first?.at ?? 0).toISOString(), "GET", first?.path, "404"],
      ...[clinic.keyId(), "Main", "203.0.113.7", first?.requestId],
      ...["1", new Date(first?.at ?? 0).toISOString(), ""],
    ]);
    expect(lines.map((line) => line[7])).toEqual(expected.map((row) => row.requestId));
  });

  test.each([10_000, 10_500])(
    "ends, like the page, after %d rows at the start of the log that are not asked for",
    async (others) => {
      const { clinic, visitor } = await open();
      const [other, sought] = rowsAt(clinic, clock.read() - 9 * hour, [{}, { status: 404 }]);
      await store.audit.append(Array.from({ length: others }, () => other as AuditRow));
      await store.audit.append([sought as AuditRow]);
      const shown: unknown[] = [];
      for (let path: string | null = "/dashboard/audit?status=404"; path !== null; ) {
        const { status, body } = await visitor.get(path);
        expect(status).toBe(200);
        shown.push(...rowsOf(body));
        path = /rel="next"/.test(body) ? linkTo(body, "Older") : null;
      }
      expect(shown).toHaveLength(1);
      const { status, body } = await visitor.get("/dashboard/audit.csv?status=404");
      expect(status).toBe(200);
      expect(read(body)).toHaveLength(1 + 1);
    },
  );

  const cellsOfNames = [
    ['=HYPERLINK("https://evil.example","click")', `'=HYPERLINK("https://evil.example","click")`],
    ["+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"],
    ["-2+3", "'-2+3"],
    ["@SUM(A1)", "'@SUM(A1)"],
    [" =1+1", "' =1+1"],
    ["\u200B\u00A0-1", "'\u200B\u00A0-1"],
    ["＝1+1", "'＝1+1"],
    ["Kiosk;=1+1", "Kiosk;'=1+1"],
    ["Kiosk, -1", "Kiosk,' -1"],
    ['Kiosk;"@SUM(A1)', `Kiosk;'"@SUM(A1)`],
    ["Kiosk, lobby; left-hand", "Kiosk, lobby; left-hand"],
    ['The "big" one', 'The "big" one'],
  ] as const;

  test("has no formula of a spreadsheet in the name of a key", async () => {
    const keys = cellsOfNames.map(([name], n) => ({ ref: `${n}`, name, revoked: true }));
    const { clinic, visitor } = await open({ keys: [mainKey, ...keys] });
    const changes = keys.map(({ ref }) => ({ keyId: clinic.keyId(ref) }));
    await store.audit.append(rowsAt(clinic, clock.read() - 20 * hour, changes));
    const [, ...lines] = read((await visitor.get("/dashboard/audit.csv")).body);
    expect(lines.reverse().map((line) => line[5])).toEqual(cellsOfNames.map(([, cell]) => cell));
  });

  test("contains no formula for any line separator of a spreadsheet", async () => {
    const { clinic, visitor } = await open();
    const paths = [";", ",", "|", "\t", ' "; '].map((end) => `/v1/a${end}=1+1`);
    const changes = paths.map((path) => ({ path }));
    await store.audit.append(rowsAt(clinic, clock.read() - 9 * hour, changes));
    const { body } = await visitor.get("/dashboard/audit.csv");
    for (const end of [",", ";", "\t", "|"]) {
      const cells = body.split(/\r\n/).flatMap((line) => line.split(end));
      expect(cells.filter((cell) => /^["\s]*[=+@-]/.test(cell))).toEqual([]);
    }
    expect(read(body)).toHaveLength(paths.length + 1);
  });

  test("has one line for a path with a line end and quotes", async () => {
    const { clinic, visitor } = await open();
    const path = '/v1/"a"\r\n=b,c';
    await store.audit.append(rowsAt(clinic, clock.read() - hour, [{ path }]));
    const { body } = await visitor.get("/dashboard/audit.csv");
    expect(body).toContain(`"/v1/""a""\r\n'=b,c"`);
  });
});
