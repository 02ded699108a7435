import { describe, expect, test } from "vitest";
import type { AuditRow } from "../../server/src/rules/records.js";
import { auditRow } from "../store/support/records.js";
import type { Clinic } from "../support/clinic.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { errorAt, linkTo, rowsOf } from "./support/html.js";
import { busyDesk, ownedClinic, signedInStaff } from "./support/visitor.js";

const service = await testService();
const { clock, store } = service;
const hour = 3_600_000;
const log = "/dashboard/audit";

/** Rows of a business's log: one per hour, the first at this time. */
function rowsAt(clinic: Clinic, from: number, changes: readonly Partial<AuditRow>[]): AuditRow[] {
  const own = { businessId: clinic.id, keyId: clinic.keyId() };
  return changes.map((change, n) => auditRow(`${n}`, { ...own, at: from + n * hour, ...change }));
}

describe("the audit log", () => {
  test("shows requests, newest first, with status, key, address and id", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const me = await clinic.client().me();
    const nothing = await clinic.client().get("/v1/nothing");
    const found = async () => rowsOf((await visitor.get(log)).body);
    await expect.poll(found).toHaveLength(2); // rows of reads are stored in batches
    const address = clinic.client().address;
    const time = expect.stringMatching(/^\d\d? \w{3} \d{4}, \d\d:\d\d:\d\d$/);
    expect(await found()).toEqual([
      [time, "GET /v1/nothing", "404", "Main", address, nothing.requestId],
      [time, "GET /v1/me", "200", "Main", address, me.requestId],
    ]);
  });

  test("names each change and who made it, and has no row of a change that was refused", async () => {
    const appointments = [{ ref: "visit", slotTime: "10:30" }];
    const { clinic, visitor: owner } = await busyDesk(service, { appointments });
    const colleague = await signedInStaff(service, clinic, "staff@clinic.example");
    const accounts = await store.accounts.list(clinic.id);
    const staff = `/staff/${accounts.find(({ role }) => role === "staff")?.id}`;
    const [first, second] = [clinic.entry("first"), clinic.entry("second")];
    const lab = clinic.queue("lab");
    const [queue, served] = [`/queues/${clinic.queue()}`, `/services/${clinic.service()}`];
    const status = `/appointments/${clinic.appointment("visit")}/status`;
    await colleague.submit("/dashboard/keys"); // 403
    for (const [who, path, fields] of [
      [owner, "/keys/access", { access: "off" }],
      [owner, "/keys/access", { access: "on" }],
      [owner, `${staff}/owner`, {}],
      [owner, `${staff}/staff`, {}],
      [owner, `${staff}/link`, { replaces: "another link" }],
      [owner, `${queue}/switch`, { isActive: "off" }],
      [owner, `${queue}/remove`, {}],
      [owner, `${served}/switch`, { active: "off" }],
      [owner, `${served}/remove`, {}],
      [colleague, "/board", { call: first }],
      [colleague, "/board", { pause: lab }],
      [colleague, "/board", { call: first }], // called already
      [colleague, "/board", { resume: lab }],
      [colleague, "/board", { transfer: second, to: lab }],
      [colleague, "/board/counter", { counter: "Counter 2" }], // changes only the browser
      [owner, status, { status: "NO_SHOW" }],
    ] as const)
      expect((await who.submit(`/dashboard${path}`, fields)).status).toBe(303);
    const rows = rowsOf((await owner.get(log)).body);
    const byStaff = rows.filter(([, , , who]) => who === "staff@clinic.example");
    const named = (some: typeof rows) =>
      some.map(([, request = "", status]) => [request.replace("POST /dashboard", ""), status]);
    expect(named(byStaff)).toEqual([
      [`/board/people/${second}/transfer`, "200"],
      [`/board/queues/${lab}/resume`, "200"],
      [`/board/queues/${lab}/pause`, "200"],
      [`/board/people/${first}/call`, "200"],
    ]);
    expect(named(rows.filter((row) => !byStaff.includes(row))).map(([path]) => path)).toEqual([
      ...[`${status}/NO_SHOW`, `${served}/off`, `${queue}/close`],
      ...[`${staff}/staff`, `${staff}/owner`, "/keys/access/on", "/keys/access/off"],
    ]);
  });

  test("shows a sum of requests on the page and in the file", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const from = Date.parse("2026-11-20T04:30:00Z");
    const sum = { count: 4_812, lastAt: from + 59_000 };
    await store.audit.append(rowsAt(clinic, from, [{ status: 429, path: "/v1/me", sum }]));
    const [row] = rowsOf((await visitor.get(log)).body);
    expect(row?.slice(0, 3)).toEqual([
      "20 Nov 2026, 10:00:00 to 20 Nov 2026, 10:00:59",
      "4812 requests, the last: GET /v1/me",
      "429",
    ]);
    const [, line = ""] = (await visitor.get(`${log}.csv`)).body.split("\r\n");
    expect(line).toMatch(/^"2026-11-20T04:30:00.000Z".*,4812,"2026-11-20T04:30:59.000Z",""$/);
  });

  describe("searched", async () => {
    const keys = [mainKey, { ref: "office", name: "Office" }];
    const { clinic, visitor } = await ownedClinic(service, { keys });
    const office = clinic.keyId("office");
    const rows = [
      { path: "/v1/a" }, // at 22:00 in India
      { path: "/v1/b", status: 404, keyId: office },
      { path: "/v1/c", status: 429 },
      { path: "/v1/queues", status: 500 },
    ];
    await store.audit.append(rowsAt(clinic, Date.parse("2026-11-19T16:30:00Z"), rows));

    test.each([
      ["by status", "?status=404", ["b"]],
      ["by a path prefix", "?path=/v1/q", ["queues"]],
      ["by a last day", "?to=2026-11-19", ["b", "a"]],
      ["by one day and a class", "?from=2026-11-20&to=2026-11-20&status=5xx", ["queues"]],
      ["by key", `?key=${office}`, ["b"]],
      ["with nothing filled in", "?key=&status=&path=&from=&to=", ["queues", "c", "b", "a"]],
    ])("%s shows those rows, and keeps the selection", async (_, query, expected) => {
      const { body } = await visitor.get(log + query);
      const paths = rowsOf(body).map(([, request = ""]) => request.replace("GET /v1/", ""));
      expect(paths).toEqual(expected);
      if (!query.includes(office)) return;
      expect(body).toContain(`<option value="${office}" selected>Office</option>`);
      expect(linkTo(body, "Download as CSV")).toBe(`${log}.csv${query}`);
    });

    test.each([
      ["status", "40", "Status must be a status like 404, or a class like 4xx."],
      ["path", "v1", "Path must begin with /."],
      ["path", `/${"a".repeat(255)}`, "Path is too long."],
      ["from", "2026-02-30", "From must be a day that exists."],
      ["to", "9999-12-31", "To must be a day of the years 1900 to 2499."],
    ])("by %s %j shows an error at the field", async (field, typed, message) => {
      const query = new URLSearchParams({ [field]: typed });
      const { status, body } = await visitor.get(`${log}?${query}`);
      expect([status, errorAt(body, field)]).toEqual([422, message]);
      expect(body).toMatch(new RegExp(`name="${field}"[^>]+(type="date"|maxlength="256")`));
      expect((await visitor.get(`${log}.csv?${query}`)).status).toBe(422);
    });
  });

  test("keeps the rows of a removed account, and has none of another business", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const [id, account] = ["accountThatWasRemoved", "gone@clinic.example"];
    await store.audit.append(rowsAt(clinic, clock.read() - hour, [{ keyId: id, account }, {}]));
    const { body } = await visitor.get(`${log}?key=${id}`);
    expect(rowsOf(body).map((row) => row[3])).toEqual([account]);
    expect(body).toContain(`<option value="${id}" selected>${id}</option>`);
    expect((await visitor.get(`${log}.csv?key=${id}`)).body).toContain(account);
    const { visitor: other } = await ownedClinic(service);
    expect((await other.get(`${log}?key=${id}`)).body).toContain("No request matches.");
    expect((await other.get(`${log}.csv?key=${id}`)).body).not.toContain(account);
  });

  test("continues page by page, each row once, even when new requests arrive", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const rows = rowsAt(clinic, clock.read() - 200 * hour, Array(80).fill({}));
    await store.audit.append(rows);
    const first = await visitor.get(`${log}?status=2xx`);
    await store.audit.append(rowsAt(clinic, clock.read(), [{}]));
    const last = await visitor.get(linkTo(first.body, "Older"));
    const seen = [first, last].flatMap(({ body }) => rowsOf(body).map((row) => row[5]));
    expect(seen).toEqual(rows.map(({ requestId }) => requestId).reverse());
    expect(last.body).not.toContain(">Older<");
    expect(linkTo(last.body, "Newest")).toBe(`${log}?status=2xx`);
    expect((await visitor.get(`${log}?after=1`)).status).toBe(404);
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
    const { clinic, visitor } = await ownedClinic(service);
    // The rows at the start of the log, which are not asked for, are more than one part of it.
    const others = Array.from({ length: 10_500 }, () => ({}));
    await store.audit.append(rowsAt(clinic, clock.read() - 20_000 * hour, others));
    const sought = rowsAt(clinic, clock.read() - 3_600 * hour, Array(3_500).fill({ status: 404 }));
    await store.audit.append(sought);
    const { status, headers, body } = await visitor.get(`${log}.csv?status=404`);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toMatch(/^text\/csv; charset=utf-8/);
    expect(headers.get("Cache-Control")).toBe("no-store");
    const file = `attachment; filename=audit-${clinic.slug}-2026-11-21.csv`;
    expect(headers.get("Content-Disposition")).toBe(file);
    const [headings, ...lines] = read(body);
    const names = "time,method,path,status,key_id,key_name,address,request_id,requests,last_time";
    expect(headings?.join()).toBe(`${names},account`);
    const [first] = sought.reverse();
    const time = new Date(first?.at ?? 0).toISOString();
    expect(lines[0]).toEqual([
      ...[time, "GET", first?.path, "404", clinic.keyId(), "Main", "203.0.113.7"],
      ...[first?.requestId, "1", time, ""],
    ]);
    expect(lines.map((line) => line[7])).toEqual(sought.map((row) => row.requestId));
  });

  const cells = [
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
    ["Kiosk|=1+1", "Kiosk|'=1+1"],
    ["Kiosk\t=1+1", "Kiosk\t'=1+1"],
    ["Kiosk, lobby; left-hand", "Kiosk, lobby; left-hand"],
    ['The "big" one', 'The "big" one'],
  ] as const;

  test("has no formula of a spreadsheet, whatever the program takes for the end of a cell", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const paths = [...cells.map(([path]) => path), '/v1/"a"\r\n=b,c'];
    const rows = paths.map((path) => ({ path }));
    await store.audit.append(rowsAt(clinic, clock.read() - 20 * hour, rows));
    const { body } = await visitor.get(`${log}.csv`);
    const shown = new Set(read(body).map((line) => line[2]));
    for (const [, cell] of cells) expect(shown).toContain(cell);
    expect(body).toContain(`"/v1/""a""\r\n'=b,c"`);
  });
});
