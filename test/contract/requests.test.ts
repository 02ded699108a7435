import { routes } from "@queue-api/contract";
import { describe, expect, test } from "vitest";

interface Schema {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly object[] } | undefined;
  };
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly query: Schema;
  readonly pathParams?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

const all = Object.values(routes)
  .flatMap((group): Route[] => Object.values(group))
  .map((route) => [`${route.method} ${route.path}`, route] as const);

const anId = "01K2Q7M8Zb4nT6wXc9RvYd3F";

/** Valid values for the path parameters. */
function pathParams(path: string): Record<string, string> {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, anId]));
}

describe.each(all)("%s", (_, route) => {
  test("requires no query parameter", () => {
    expect(route.query.safeParse({}).success).toBe(true);
  });

  test("refuses an unknown query parameter", () => {
    expect(route.query.safeParse({ verbose: "1" }).error?.issues).toEqual([
      expect.objectContaining({ code: "unrecognized_keys", keys: ["verbose"] }),
    ]);
  });

  test("accepts only identifiers in its path", () => {
    const params = pathParams(route.path);
    const schema = route.pathParams;
    expect(schema === undefined).toBe(Object.keys(params).length === 0);
    if (!schema) return;
    expect(schema.safeParse(params).success).toBe(true);
    for (const name of Object.keys(params)) {
      expect(schema.safeParse({ ...params, [name]: "short" }).success).toBe(false);
    }
  });

  test("declares one success and its errors", () => {
    const statuses = Object.keys(route.responses).map(Number);
    expect(statuses.filter((status) => status < 400)).toHaveLength(1);
    expect(statuses).toEqual(expect.arrayContaining([400, 500]));
  });
});

describe("lists", () => {
  const { query } = routes.entries.list;

  test("have 50 items per page by default", () => {
    expect(query.parse({})).toEqual({ limit: 50 });
    expect(query.parse({ limit: "7" })).toEqual({ limit: 7 });
  });

  test("report all wrong parameters together", () => {
    const wrong = { status: "CANCELLED", date: "2026-02-29", limit: "0", cursor: "x", page: "2" };
    const issues = query.safeParse(wrong).error?.issues ?? [];
    expect(
      Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message])),
    ).toEqual({
      "": expect.stringContaining("page"),
      cursor: "must be the nextCursor of an earlier page",
      date: "must be a day that exists",
      limit: "must be at least 1",
      status: "must be one of WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW",
    });
  });
});

describe("a cancellation", () => {
  const { body } = routes.entries.cancel;

  test.each([undefined, {}, null])("accepts %j", (value) => {
    expect(body.safeParse(value).success).toBe(true);
  });

  test.each([{ reason: "late" }, [], ""])("refuses %j", (value) => {
    expect(body.safeParse(value).success).toBe(false);
  });
});

describe("the Idempotency-Key", () => {
  const { headers } = routes.entries.create;

  test("is optional, and other headers are allowed", () => {
    expect(headers.safeParse({ accept: "*/*" }).success).toBe(true);
    expect(headers.safeParse({ "idempotency-key": "kiosk-7-0042" }).success).toBe(true);
  });

  test("must have its format", () => {
    expect(headers.safeParse({ "idempotency-key": "short" }).success).toBe(false);
  });
});
