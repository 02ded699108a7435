import type { Page } from "../page.js";
import { changeQueue, createQueue, showNewQueue, showQueue, switchQueue } from "./change.js";
import { showQueues } from "./list.js";

/** The queues of the business. */
export const queues: Page = {
  path: "/queues",
  title: "Queues",
  addRoutes: (router, deps) => {
    router.get("/queues", showQueues(deps));
    router.post("/queues", createQueue(deps));
    router.get("/queues/new", showNewQueue(deps));
    router.get("/queues/:queueId", showQueue(deps));
    router.post("/queues/:queueId", changeQueue(deps));
    router.post("/queues/:queueId/switch", switchQueue(deps));
  },
};
