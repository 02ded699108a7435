import type { Row } from "../../row.js";
import { beside } from "../beside.js";
import { creatingBy } from "../requests.js";
import { apart, askingForQueues, type Crowd, mongoPeer, tenantsOnMongo } from "./tenants.js";

export function mongoCreate(crowd: Crowd): Row {
  return {
    name: `mongo-create${crowd.suffix}`,
    measured: `MongoDB: create with Idempotency-Key, ${crowd.description}`,
    against: "bare Express, one insert",
    goal: crowd === apart ? 0.35 : 0.4,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, crowd, 0);
      const peer = await mongoPeer(stage, []);
      return beside(stage, peer, creatingBy(service.origin, askingForQueues(service, "/entries")));
    },
  };
}
