import { sections } from "../../../server/src/dashboard/sections.js";
import type { Clinic } from "../../support/clinic.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { person } from "./board.js";

/** Every route behind the sign-in, read from the source. */
export const routes = sections.flatMap(({ routes, forStaff = false }) =>
  Object.keys(routes).map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, forStaff };
  }),
);

export const pages = routes
  .filter(({ method, path }) => method === "GET" && !/\.csv|download/.test(path))
  .map(({ path }) => path);

/** A business with something on each of these pages, whose names are all the same. */
export const allNamed = (name: string): BusinessSeed => ({
  name,
  services: [
    { ref: "consult", name, price: 300, baseTimeMinutes: 15 },
    { ref: "unused", name, active: false },
  ],
  queues: [
    {
      ref: "front",
      name,
      entries: (["today-2", "today-1", "today-1", "today", "today"] as const).map((date, n) => {
        const status = n === 2 || n === 4 ? "WAITING" : n % 2 === 0 ? "COMPLETED" : "NO_SHOW";
        return person(n === 4 ? "waits" : `${n}`, { name, date, status });
      }),
    },
    { ref: "unused", name, tokenSeries: "L" },
  ],
  appointments: [
    { ref: "visit", slotTime: "10:30", service: "consult", customer: { name }, notes: name },
    { slotTime: "11:00", status: "COMPLETED" },
  ],
  keys: [
    { ...wideKey, name },
    { ref: "ending", name, days: 9, allowIps: ["203.0.113.0/24"] },
    { name, revoked: true },
  ],
});

/** The ids of what a business has, by the path of its kind. */
export async function idsOf(service: Service, clinic: Clinic, entry: string) {
  const accounts = await service.store.accounts.list(clinic.id);
  return {
    "/board/ended": clinic.queue(),
    "/board/people": clinic.entry(entry),
    "/appointments": clinic.appointment("visit"),
    "/services": clinic.service(),
    "/queues": clinic.queue(),
    "/keys": clinic.keyId(),
    "/staff": accounts.find(({ role }) => role === "staff")?.id ?? "",
  };
}

/** The path of a route below the dashboard, with the id of its kind. */
export function filledIn(path: string, ids: Readonly<Record<string, string>>): string {
  const withId = path.replace(/(.*)\/:id/, (_, kind) => `${kind}/${ids[kind] ?? "x"}`);
  return withId.replace(":newId", ids["/keys"] ?? "x");
}
