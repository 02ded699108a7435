import type { ServerResponse } from "node:http";
import type { RequestObserver } from "../http/request-observer.js";
import { outcomeOf } from "../http/request-observer.js";
import { InFlight } from "../lib/in-flight.js";
import type { Metrics } from "./metrics.js";

/** Measures each request from its arrival until its response is sent or its connection is closed. */
export class MeasuredRequests {
  readonly #metrics: Metrics;
  readonly #open = new InFlight<ServerResponse>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  readonly observe: RequestObserver = (req, res, proceed) => {
    const began = performance.now();
    const place = this.#open.add(res);
    res.once("close", () => {
      this.#open.take(place);
      // The duration of a live board's stream is not a latency.
      if (isEventStream(res)) return;
      this.#metrics.request(outcomeOf(req, res), (performance.now() - began) / 1000);
    });
    proceed();
  };

  /** The number of open event streams. */
  get eventStreams(): number {
    return this.#open.all().filter(isEventStream).length;
  }
}

function isEventStream(res: ServerResponse): boolean {
  const type = res.getHeader("Content-Type");
  return typeof type === "string" && type.startsWith("text/event-stream");
}
