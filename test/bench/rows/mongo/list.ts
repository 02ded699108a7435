import type { Row } from "../../row.js";
import { readingBeside } from "./reading-beside.js";
import {
  apart,
  askingForQueues,
  type Crowd,
  mongoPeer,
  queueOf,
  tenantsOnMongo,
} from "./tenants.js";

const people = 60;

export function mongoList(crowd: Crowd): Row {
  return {
    name: `mongo-list${crowd.suffix}`,
    measured: `MongoDB: list of 50 entries, ${crowd.description}`,
    against: "bare Express, one find, same JSON",
    goal: crowd === apart ? 1.2 : 0.6,
    async sides(stage) {
      const service = await tenantsOnMongo(stage, crowd, people);
      const peer = await mongoPeer(stage, await Promise.all(service.tenants.map(queueOf)));
      const callers = askingForQueues(service, "/entries");
      return readingBeside(stage, service, peer, callers);
    },
  };
}
