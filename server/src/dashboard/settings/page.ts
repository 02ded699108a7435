import type { Page } from "../page.js";
import { makeDisplayLink, revokeDisplayLink, setLongWait, showSettings } from "./settings.js";

/** Settings for the desk: after how long a wait counts as long, and the link to the waiting-room display. */
export const settings: Page = {
  path: "/settings",
  title: "Settings",
  inMenu: true,
  addRoutes: (router, deps) => {
    router.get("/settings", showSettings(deps));
    router.post("/settings/long-wait", setLongWait(deps));
    router.post("/settings/display", makeDisplayLink(deps));
    router.post("/settings/display/revoke", revokeDisplayLink(deps));
  },
};
