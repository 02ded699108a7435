import type { Page } from "../page.js";
import {
  askToRemove,
  createAppointment,
  editAppointment,
  removeAppointment,
  setStatus,
  showAppointment,
  showNewAppointment,
} from "./change.js";
import { showDay } from "./day.js";

/** The appointments of a day. */
export const appointments: Page = {
  path: "/appointments",
  title: "Appointments",
  forStaff: true,
  addRoutes: (router, deps) => {
    router.get("/appointments", showDay(deps));
    router.post("/appointments", createAppointment(deps));
    router.get("/appointments/new", showNewAppointment(deps));
    router.get("/appointments/:appointmentId", showAppointment(deps));
    router.post("/appointments/:appointmentId", editAppointment(deps));
    router.get("/appointments/:appointmentId/remove", askToRemove(deps));
    router.post("/appointments/:appointmentId/remove", removeAppointment(deps));
    router.post("/appointments/:appointmentId/status", setStatus(deps));
  },
};
