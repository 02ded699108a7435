import type { Page } from "../page.js";
import {
  changeService,
  createService,
  showNewService,
  showService,
  switchService,
} from "./change.js";
import { showServices } from "./list.js";

/** The services of the business. */
export const services: Page = {
  path: "/services",
  title: "Services",
  addRoutes: (router, deps) => {
    router.get("/services", showServices(deps));
    router.post("/services", createService(deps));
    router.get("/services/new", showNewService(deps));
    router.get("/services/:serviceId", showService(deps));
    router.post("/services/:serviceId", changeService(deps));
    router.post("/services/:serviceId/switch", switchService(deps));
  },
};
