import type { Page } from "../page.js";
import { downloadStatistics } from "./download.js";
import { Reports } from "./reports.js";
import { showStatistics } from "./show.js";

/** Today and the last weeks, in numbers. */
export const statistics: Page = {
  path: "/statistics",
  title: "Statistics",
  forStaff: true,
  addRoutes: (router, deps) => {
    const reports = new Reports(deps.store);
    router.get("/statistics", showStatistics(deps, reports));
    router.get("/statistics/download", downloadStatistics(deps, reports));
  },
};
