import { html } from "../../html.js";
import { businessDay } from "../../rules/business-day.js";
import type { Page } from "../page.js";
import { signedIn } from "../signed-in.js";

/** The first page: each queue as it stands now. */
export const board: Page = {
  path: "",
  title: "Board",
  addRoutes: (router, { store, send }) => {
    router.get("/", async (req, res) => {
      const { business } = signedIn(res);
      const now = await store.now();
      const today = businessDay(now, business.timezone);
      const queues = await store.queues(business.id);
      const days = await Promise.all(
        queues.map(({ id }) => store.queueDay(business.id, id, today)),
      );
      const items = days.flatMap((day) =>
        day ? [html`<li>${day.queue.name}: ${day.counts.WAITING} waiting</li>`] : [],
      );
      send(req, res, { title: "Board", body: html`<ul>${items}</ul>` });
    });
  },
};
