import type { Row } from "../../row.js";
import { readingBy } from "../requests.js";
import { sameAnswer } from "../same-answer.js";
import { type Crowd, mongoPeer, queueOf, tenantsOnMongo } from "./tenants.js";

const people = 60;

export function mongoEntry(crowd: Crowd): Row {
  return {
    name: `mongo-entry${crowd.suffix}`,
    measured: `MongoDB: GET entry, everything on, ${crowd.told}`,
    against: "bare Express, one find, same JSON",
    goal: 0.6,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, crowd, people);
      const queues = await Promise.all(service.tenants.map(queueOf));
      const peer = await mongoPeer(stage, queues);
      const callers = service.tenants.map(({ key }, at) => {
        const waiting = queues[at]?.entries.filter(({ status }) => status === "WAITING") ?? [];
        return { key, paths: waiting.map(({ id }) => `/v1/entries/${id}`) };
      });
      for (const [at, tenant] of service.tenants.entries()) {
        for (const path of callers[at]?.paths ?? []) await sameAnswer(tenant, peer, path);
      }
      const load = readingBy(service.origin, callers);
      return {
        ours: await stage.load(load),
        theirs: await stage.load({ ...load, origins: [peer] }),
      };
    },
  };
}
