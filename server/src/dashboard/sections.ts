import { changePassword, showAccount } from "./accounts/account-page.js";
import { appointments } from "./appointments/appointment-pages.js";
import { setStatus } from "./appointments/check-in.js";
import { downloadAudit, showAudit } from "./audit-log.js";
import {
  actOnBoard,
  addWalkIn,
  correctOnBoard,
  showBoard,
  showPerson,
} from "./board/board-page.js";
import { nameCounter } from "./board/counter.js";
import { askToEndEarlier, endEarlier } from "./board/end-earlier.js";
import { showEarlier, showEnded, showFound } from "./board/people.js";
import { printToken } from "./board/person-card.js";
import { askToSwitchOff, switchAccess } from "./keys/key-list.js";
import { keys } from "./keys/key-pages.js";
import { askToRotate, rotateKey, showRotation } from "./keys/key-rotation.js";
import { queues } from "./queue-pages.js";
import { resourceRoutes } from "./resource.js";
import { services } from "./service-pages.js";
import {
  askToReplaceLink,
  askToRevokeLink,
  makeDisplayLink,
  revokeDisplayLink,
  setDisplayOptions,
  setLongWait,
  showSettings,
} from "./settings-page.js";
import { changeRole, renewLink, staff } from "./staff-pages.js";
import { downloadStatistics, showStatistics } from "./statistics/statistics-page.js";
import type { Section } from "./visit.js";

/**
 * The pages that require a sign-in, in the order of the navigation, and every route of theirs. `requireAccount` runs
 * before all of them.
 */
export const sections: readonly Section[] = [
  {
    path: "",
    title: "Board",
    forStaff: true,
    routes: {
      "GET /": showBoard,
      // A refused form leaves the browser at its path.
      "GET /board": showBoard,
      "GET /board/counter": showBoard,
      "GET /board/walk-in": showBoard,
      "GET /board/find": showFound,
      "GET /board/ended/:id": showEnded,
      "GET /board/earlier": showEarlier,
      "GET /board/earlier/end": askToEndEarlier,
      "POST /board/earlier/end": endEarlier,
      "GET /board/people/:id": showPerson,
      "POST /board/people/:id": correctOnBoard,
      "GET /board/people/:id/print": printToken,
      "POST /board": actOnBoard,
      "POST /board/counter": nameCounter,
      "POST /board/walk-in": addWalkIn,
    },
  },
  {
    path: "/appointments",
    title: "Appointments",
    forStaff: true,
    routes: { ...resourceRoutes(appointments), "POST /appointments/:id/status": setStatus },
  },
  {
    path: "/statistics",
    title: "Statistics",
    forStaff: true,
    routes: { "GET /statistics": showStatistics, "GET /statistics/download": downloadStatistics },
  },
  { path: "/services", title: "Services", routes: services },
  { path: "/queues", title: "Queues", routes: queues },
  {
    path: "/keys",
    title: "Keys",
    routes: {
      "GET /keys/access": askToSwitchOff,
      "POST /keys/access": switchAccess,
      ...resourceRoutes(keys),
      "GET /keys/:id/rotate": askToRotate,
      "POST /keys/:id/rotate": rotateKey,
      "GET /keys/:id/rotate/:newId": showRotation,
    },
  },
  {
    path: "/audit",
    title: "Audit log",
    routes: { "GET /audit": showAudit, "GET /audit.csv": downloadAudit },
  },
  {
    path: "/staff",
    title: "Staff",
    inMenu: true,
    routes: {
      ...resourceRoutes(staff),
      "POST /staff/:id/link": renewLink,
      "POST /staff/:id/owner": changeRole("owner"),
      "POST /staff/:id/staff": changeRole("staff"),
    },
  },
  {
    path: "/settings",
    title: "Settings",
    inMenu: true,
    routes: {
      "GET /settings": showSettings,
      // A refused form leaves the browser at its path.
      "GET /settings/long-wait": showSettings,
      "GET /settings/display/options": showSettings,
      "POST /settings/long-wait": setLongWait,
      "POST /settings/display/options": setDisplayOptions,
      "GET /settings/display": askToReplaceLink,
      "POST /settings/display": makeDisplayLink,
      "GET /settings/display/revoke": askToRevokeLink,
      "POST /settings/display/revoke": revokeDisplayLink,
    },
  },
  {
    path: "/account",
    title: "Account",
    inMenu: true,
    forStaff: true,
    routes: { "GET /account": showAccount, "POST /account": changePassword },
  },
];
