import { randomBytes } from "node:crypto";
import { errors } from "@queue-api/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import { requestLimits } from "../../server/src/http/request-observer.js";
import { wrapStore } from "../../server/src/operations/wrap-store.js";
import { ownedClinic } from "../dashboard/support/visitor.js";
import { customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { expectRefusal } from "../support/expect.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { type BusinessSeed, mainKey, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { metricsToken, type Scrape, scrape } from "./support/scrape.js";

const broken = { services: false };
const service = await testService({
  settings: { metricsToken },
  interpose: (store) => ({
    services: {
      list: async (businessId) => {
        if (broken.services) throw new Error("disk I/O error");
        return store.services.list(businessId);
      },
    },
  }),
});

type Labels = Readonly<Record<string, string>>;

const requestCount = "queue_api_http_request_duration_seconds_count";

/** The increase of a series during an action. A missing series counts as 0. */
async function growth(
  [name, labels]: Parameters<Scrape["value"]>,
  action: () => Promise<unknown>,
): Promise<number> {
  const before = (await scrape(service)).value(name, labels) ?? 0;
  await action();
  return ((await scrape(service)).value(name, labels) ?? 0) - before;
}

describe("a scrape", () => {
  test("is Prometheus text and is not cacheable", async () => {
    const headers = { Authorization: `Bearer ${metricsToken}` };
    const answer = await fetch(`${service.url}/metrics`, { headers });
    expect(answer.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const text = await answer.text();
    const described = [...text.matchAll(/^# HELP (\S+) \S.*$/gm)].map(([, name]) => name);
    const typed = [...text.matchAll(/^# TYPE (\S+) \w+$/gm)].map(([, name]) => name);
    expect(typed).toEqual(described);
    expect(new Set(described).size).toBe(described.length);
  });

  test("has the audit rows that are not stored yet", async () => {
    let isAway = true;
    onTestFinished(() => {
      isAway = false;
    });
    const own = await testService({
      settings: { metricsToken },
      interpose: ({ audit }) => ({
        audit: {
          append: (rows) =>
            isAway ? Promise.reject(new Error("disk I/O error")) : audit.append(rows),
        },
      }),
    });
    const clinic = await own.clinic();
    for (let n = 0; n < 3; n++) await clinic.client().get("/v1/me");
    expect((await scrape(own)).value("queue_api_audit_rows_pending")).toBe(3);
  });

  test.each([
    ["a missing key", "GET", "/v1/queues/x", "GET /v1/queues/:queueId", "401"],
    ["a key in the URL", "GET", "/v1/entries/svc_live_a_b", "GET /v1/entries/:entryId", "400"],
    ["HEAD", "HEAD", "/v1", "GET /v1", "200"],
    ["a probe", "GET", "/readyz", "GET /readyz", "200"],
    ["a page", "GET", "/docs/errors", "GET /docs/*", "200"],
    ["an unknown path", "GET", "/wp-login.php", "unmatched", "404"],
    ["an unknown method", "DELETE", "/v1/me", "unmatched", "401"],
    ["a refusal before the routing", "GET", "/dashboard/keys", "/dashboard/*", "303"],
  ])("counts %s under its route", async (_what, method, path, route, status) => {
    const headers = { "X-Forwarded-For": `10.1.${[...randomBytes(2)].join(".")}` };
    const grown = await growth([requestCount, { route, status }], () =>
      fetch(`${service.url}${path}`, { method, headers, redirect: "manual" }),
    );
    expect(grown).toBe(1);
  });

  test("has every code and every limit from the start", async () => {
    const { samples } = await scrape(service);
    const reported = (name: string, label: string) =>
      samples.filter((sample) => sample.name === name).map(({ labels }) => labels[label]);
    expect(reported("queue_api_refusals_total", "code")).toEqual(Object.keys(errors));
    expect(reported("queue_api_limits_hit_total", "limit")).toEqual([...requestLimits]);
  });

  const ofList = { operation: "services.list" };
  const key = (changes: Partial<typeof mainKey>) => ({ keys: [{ ...mainKey, ...changes }] });
  const me = (at: Clinic) => at.client().me();
  const create = (at: Clinic) => at.client().create(at.queue(), customer1, "replayed-once");

  test.each<[string, Labels, BusinessSeed, number, (at: Clinic) => Promise<unknown>]>([
    ["refusals_total", { code: "insufficient_scope" }, key({ scopes: ["queue:read"] }), 1, create],
    ["limits_hit_total", { limit: "requests" }, key({ requestsPerMinute: 2 }), 3, me],
    ["limits_hit_total", { limit: "writes" }, key({ writesPerMinute: 1 }), 2, create],
    ["limits_hit_total", { limit: "sign_ins" }, {}, 31, (at) => at.stranger().me()],
    ["limits_hit_total", { limit: "daily_tokens" }, { dailyTokenLimit: 0 }, 1, create],
    ["idempotent_replays_total", {}, {}, 2, create],
    ["store_operation_duration_seconds_count", ofList, {}, 1, (at) => at.client().services()],
  ])("counts in queue_api_%s with %j", async (name, labels, seed, requests, send) => {
    const clinic = await service.clinic(seed);
    const grown = await growth([`queue_api_${name}`, labels], async () => {
      for (let i = 0; i < requests; i++) await send(clinic);
    });
    expect(grown).toBe(1);
  });

  test("counts the failures of each store operation", async () => {
    const clinic = await service.clinic();
    const failures = "queue_api_store_operation_failures_total";
    broken.services = true;
    const failed = await growth([failures, ofList], async () => {
      expectRefusal(await clinic.client().services(), 500, "internal_error");
    });
    broken.services = false;
    expect(failed).toBe(1);
    expect((await scrape(service)).value(failures, { operation: "admit" })).toBeUndefined();
  });
});

test("the dashboard is counted by page", async () => {
  const { clinic, visitor: owner } = await ownedClinic(service);
  const route = "GET /dashboard/keys/:id";
  const found = await growth([requestCount, { route, status: "200" }], async () => {
    expect((await owner.get(`/dashboard/keys/${clinic.keyId()}`)).status).toBe(200);
  });
  expect(found).toBe(1);
});

describe("the labels", () => {
  /** Text that a hostile caller can send, different each time. */
  async function hostile(clinic: Clinic): Promise<string[]> {
    const word = randomBytes(6).toString("hex");
    const phone = `9198${randomBytes(4).readUInt32BE() % 10 ** 8}`.padEnd(12, "0");
    const name = `Zed ${word}`;
    const client = clinic.client();
    const paths = [
      ...[`/${word}`, `/v1/${word}`, `/docs/${word}`, `/dashboard/${word}`, `/metrics/${word}`],
      ...[`/v1/entries/${phone}`, `/v1/entries/${clinic.key()}`, `/v1/me?token=${clinic.key()}`],
      ...[`/v1/me?${word}=${word}`, `/v1/entries/${word}%0aqueue_api_refusals_total`],
      ...["/v1/%E0%A4%A", "//v1/me"],
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const headers = { Authorization: `Bearer ${clinic.key()}`, "X-Request-Id": word };
        await fetch(service.url + path, { method, headers });
      }
    }
    await client.create(clinic.queue(), { name, phone }, `key-${word}`);
    await client.create(clinic.queue(), { name, phone, [word]: word });
    await client.post(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { "Content-Type": `text/${word}` },
      body: name,
    });
    await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${word}` } });
    const strange = await RawConnection.open(service);
    strange.send(rawRequest(`PURGE /${word} HTTP/1.1`, ["Host: queue.example"]));
    strange.finish();
    await strange.ended();
    const { id, key } = { id: clinic.id, key: clinic.key() };
    return [word, phone, name, id, key, key.split("_")[3] ?? "", clinic.slug, clinic.keyId()];
  }

  /** The series of the service. Those of the process vary with its timers and garbage collection. */
  const ofService = ({ samples }: Scrape) => {
    const own = samples.filter(({ name }) => name.startsWith("queue_api_"));
    return new Set(own.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`));
  };

  test("are few and never contain text of callers", async () => {
    const clinic = await service.clinic({ keys: [wideKey] });
    await hostile(clinic);
    const first = await scrape(service);
    const sensitive = [...(await hostile(clinic)), "Sunrise", "Customer", "Bearer", metricsToken];
    const second = await scrape(service);

    expect(ofService(second)).toEqual(ofService(first));
    for (const word of sensitive) {
      expect(second.text.toLowerCase(), "the scrape holds a word of a caller").not.toContain(
        word.toLowerCase(),
      );
    }
  });

  test("name operations of the store, and nothing of what they are given", async () => {
    const { samples } = await scrape(service);
    const known: string[] = [];
    wrapStore(service.store, (name, operation) => {
      known.push(name);
      return operation;
    });
    const named = samples.flatMap(({ labels }) => labels.operation ?? []);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(named).toContain("services.list");
  });
});

test("the queues have the waiting entries of today, by each business's own day, and the longest wait", async () => {
  const own = await testService({ settings: { metricsToken } });
  const entries = (minutesAgo: number) => [
    { status: "WAITING" as const, minutesAgo },
    { status: "WAITING" as const, minutesAgo: 1 },
    { status: "COMPLETED" as const, minutesAgo: 300 },
    { status: "WAITING" as const, date: "today-1", minutesAgo: 1_000 },
  ];
  const queue = (minutesAgo: number) => ({ name: "Front desk", entries: entries(minutesAgo) });
  // At each moment, one of these zones has another day than UTC.
  await own.clinic({ timezone: "Pacific/Kiritimati", queues: [queue(20), queue(45)] });
  await own.clinic({ timezone: "Pacific/Pago_Pago", queues: [queue(10)] });

  const now = await scrape(own);
  expect(now.value("queue_api_people_waiting")).toBe(6);
  expect(now.value("queue_api_longest_wait_seconds")).toBe(45 * 60);
});
