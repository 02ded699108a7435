import express, { type Router } from "express";
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
export function probes({ store, answer, logger, isStopping }: ProbeDeps): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  router.get("/healthz", (_req, res) => answer(res, 200, { status: "ok" }));
  router.get("/readyz", async (_req, res) => {
    if (isStopping()) return answer(res, 503, { status: "stopping" });
    try {
      await store.ping();
      answer(res, 200, { status: "ready" });
    } catch (error) {
      logger.warn({ err: error }, "not ready: the database does not answer");
      answer(res, 503, { status: "database unavailable" });
    }
  });
  return router;
}
