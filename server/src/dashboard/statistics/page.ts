import type { Page } from "../page.js";
import { showStatistics } from "./show.js";

/** Today and the last weeks, in numbers. */
export const statistics: Page = {
  path: "/statistics",
  title: "Statistics",
  forStaff: true,
  addRoutes: (router, deps) => {
    router.get("/statistics", showStatistics(deps));
  },
};
