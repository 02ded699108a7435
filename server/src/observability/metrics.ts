import { apiVersion, errors } from "@queue-api/contract";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type RequestObserver, requestLimits, requestOutcome } from "../http/request-observer.js";
import type { ServiceLoad } from "../service.js";
import type { LinesNow } from "./lines-now.js";
import type { StoreObserver } from "./observed-store.js";

/**
 * Memory, processor time, garbage collection and event-loop delay of the process. Their observers cannot be removed, so
 * all services of the process have one registry.
 */
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });

/** The buckets range from a read of the embedded store to a clear outage. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const operationSeconds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/**
 * The metrics of one service, in the text format of Prometheus. Each label value comes from a fixed set: a route's
 * template, a status, an error code, an operation of the store. None identifies a caller or a person.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: "queue_api_http_request_duration_seconds",
    help: "Time from a request's headers to the end of its response, by route and status.",
    labelNames: ["route", "status"],
    buckets: requestSeconds,
    registers: [this.#registry],
  });
  readonly #errors = new Counter<"code">({
    name: "queue_api_refusals_total",
    help: "Requests that ended with an error, by its code.",
    labelNames: ["code"],
    registers: [this.#registry],
  });
  readonly #limits = new Counter<"limit">({
    name: "queue_api_limits_hit_total",
    help: "Requests that were refused because a limit was reached, by the limit.",
    labelNames: ["limit"],
    registers: [this.#registry],
  });
  readonly #replays = new Counter({
    name: "queue_api_idempotent_replays_total",
    help: "Creations that returned the stored result of an earlier request.",
    registers: [this.#registry],
  });
  readonly #operations = new Histogram({
    name: "queue_api_store_operation_duration_seconds",
    help: "Time that an operation of the store took, by its name.",
    labelNames: ["operation"],
    buckets: operationSeconds,
    registers: [this.#registry],
  });
  readonly #operationErrors = new Counter({
    name: "queue_api_store_operation_failures_total",
    help: "Operations of the store that failed, by their name.",
    labelNames: ["operation"],
    registers: [this.#registry],
  });

  constructor() {
    const help = "1, with the version of the interface.";
    const info = { name: "queue_api_info", help, labelNames: ["version"] };
    new Gauge({ ...info, registers: [this.#registry] }).set({ version: apiVersion.full }, 1);
    // A rate needs a first value, so counters start at 0 instead of being absent.
    for (const code of Object.keys(errors)) this.#errors.inc({ code }, 0);
    for (const limit of requestLimits) this.#limits.inc({ limit }, 0);
  }

  /** Measures each request from its arrival until its response is sent or its connection is closed. */
  readonly requests: RequestObserver = (req, res, proceed) => {
    const began = performance.now();
    res.once("close", () => {
      const { route, status, errorCode, limit, replayed } = requestOutcome(req, res);
      const seconds = (performance.now() - began) / 1000;
      this.#requests.observe({ route, status: status ?? "aborted" }, seconds);
      if (errorCode) this.#errors.inc({ code: errorCode });
      if (limit) this.#limits.inc({ limit });
      if (replayed) this.#replays.inc();
    });
    proceed();
  };

  /** Measures each operation of the store. */
  readonly store: StoreObserver = (operation) => {
    const began = performance.now();
    return (error) => {
      this.#operations.observe({ operation }, (performance.now() - began) / 1000);
      if (error !== undefined) this.#operationErrors.inc({ operation });
    };
  };

  /** Adds what is read for each scrape. */
  addLoad(load: () => ServiceLoad, lines: LinesNow): void {
    this.#gauge(
      "queue_api_http_requests_in_flight",
      "Requests that have begun and have not ended yet.",
      () => load().requestsUnderWay,
    );
    this.#gauge(
      "queue_api_http_connections",
      "Connections to the service that are open.",
      () => load().connections,
    );
    this.#gauge(
      "queue_api_audit_rows_pending",
      "Audit rows that are not stored yet. At 20,000 rows the service refuses requests.",
      () => load().auditRowsPending,
    );
    this.#gauge(
      "queue_api_people_waiting",
      "People waiting now, in all queues of all businesses. NaN while the database does not respond.",
      async () => (await lines.read())?.waiting,
    );
    this.#gauge(
      "queue_api_longest_wait_seconds",
      "Longest wait of anyone who waits today. NaN while the database does not respond.",
      async () => (await lines.read())?.longestSeconds,
    );
  }

  #gauge(name: string, help: string, read: () => number | Promise<number | undefined>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set((await read()) ?? Number.NaN);
      },
    });
  }

  /** All metrics with their current values. */
  async text(): Promise<{ contentType: string; text: string }> {
    const texts = [await this.#registry.metrics(), await ofProcess.metrics()];
    return { contentType: this.#registry.contentType, text: texts.join("") };
  }
}
