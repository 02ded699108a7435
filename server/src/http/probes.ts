import type { Express } from "express";
import type { Logger } from "pino";
import type { Store } from "../store/store.js";
import type { Answer } from "./answer.js";

interface ProbeDeps {
  readonly store: Store;
  readonly answer: Answer;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}

/** For whoever runs the service: `/healthz`, is the process alive; `/readyz`, can it serve. */
export function addProbes(app: Express, { store, answer, logger, isStopping }: ProbeDeps): void {
  app.get("/healthz", (_req, res) => answer(res, 200, { status: "ok" }));
  app.get("/readyz", async (_req, res) => {
    if (isStopping()) return answer(res, 503, { status: "stopping" });
    try {
      await store.ping();
      answer(res, 200, { status: "ready" });
    } catch (error) {
      logger.warn({ err: error }, "not ready: the database does not answer");
      answer(res, 503, { status: "database unavailable" });
    }
  });
}
