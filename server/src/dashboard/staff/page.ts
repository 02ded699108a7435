import type { Page } from "../page.js";
import { inviteAccount, removeAccount, renewLink } from "./change.js";
import { showStaff } from "./list.js";

/** Who may sign in: owners and staff. */
export const staff: Page = {
  path: "/staff",
  title: "Staff",
  inMenu: true,
  addRoutes: (router, deps) => {
    router.get("/staff", showStaff(deps));
    router.post("/staff", inviteAccount(deps));
    router.post("/staff/:accountId/link", renewLink(deps));
    router.post("/staff/:accountId/remove", removeAccount(deps));
  },
};
