import type { Row } from "../../row.js";
import { readingBy } from "../requests.js";
import { sameAnswer } from "../same-answer.js";
import { askingForQueues, type Crowd, mongoPeer, queueOf, tenantsOnMongo } from "./tenants.js";

const people = 60;

export function mongoList(crowd: Crowd): Row {
  return {
    name: `mongo-list${crowd.suffix}`,
    measured: `MongoDB: list of 50 entries, ${crowd.told}`,
    against: "bare Express, one find, same JSON",
    goal: 0.6,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, crowd, people);
      const peer = await mongoPeer(stage, await Promise.all(service.tenants.map(queueOf)));
      const callers = askingForQueues(service, "/entries");
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
