import type { Row } from "../../row.js";
import { readingBeside } from "./reading-beside.js";
import { apart, type Crowd, mongoPeer, queueOf, tenantsOnMongo } from "./tenants.js";

const people = 60;

export function mongoEntry(crowd: Crowd): Row {
  return {
    name: `mongo-entry${crowd.suffix}`,
    measured: `MongoDB: GET entry, everything on, ${crowd.description}`,
    against: "bare Express, one find, same JSON",
    goal: crowd === apart ? 0.65 : 0.6,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, crowd, people);
      const queues = await Promise.all(service.tenants.map(queueOf));
      const peer = await mongoPeer(stage, queues);
      const callers = service.tenants.map(({ key }, at) => {
        const waiting = queues[at]?.entries.filter(({ status }) => status === "WAITING") ?? [];
        return { key, paths: waiting.map(({ id }) => `/v1/entries/${id}`) };
      });
      return readingBeside(stage, service, peer, callers);
    },
  };
}
