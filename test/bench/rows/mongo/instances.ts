import type { LoadSpec } from "../../load/load-spec.js";
import type { Row } from "../../row.js";
import type { Service } from "../../stage.js";
import { creatingBy, readingBy } from "../requests.js";
import { apart, askingForQueues, tenantsOnMongo } from "./tenants.js";

/** Compares four instances with one. They share the processors with the database and the load generator. */
export const mongoInstancesReading = instancesRow("read", "GET a queue's day", (service) =>
  readingBy(service.origin, askingForQueues(service, "")),
);

export const mongoInstancesCreating = instancesRow("create", "create", (service) =>
  creatingBy(service.origin, askingForQueues(service, "/entries")),
);

function instancesRow(name: string, what: string, loadOf: (service: Service) => LoadSpec): Row {
  return {
    name: `mongo-instances-${name}`,
    measured: `MongoDB: ${what}, four instances, ${apart.description}`,
    against: "one instance",
    goal: 1,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, apart, 20);
      const load = loadOf(service);
      const others = [1, 2, 3].map(() => stage.instance(service.databaseUrl));
      const origins = [service, ...(await Promise.all(others))].map(({ origin }) => origin);
      return { ours: await stage.load({ ...load, origins }), theirs: await stage.load(load) };
    },
  };
}
