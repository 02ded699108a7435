import type { Page } from "../page.js";
import { downloadAudit } from "./download.js";
import { showAudit } from "./show.js";

/** The requests of programs to the API. */
export const audit: Page = {
  path: "/audit",
  title: "Audit log",
  addRoutes: (router, deps) => {
    router.get("/audit", showAudit(deps));
    router.get("/audit.csv", downloadAudit(deps));
  },
};
