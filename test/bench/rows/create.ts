import { clinic } from "../clinic.js";
import type { Row } from "../row.js";
import { creating } from "./requests.js";

export const create: Row = {
  name: "create",
  measured: "create, durable, with Idempotency-Key",
  against: "bare Express, one durable insert",
  goal: 0.8,
  async sides(stage) {
    const service = await stage.service(clinic({ front: [] }));
    const { front = "" } = service.queues;
    const peer = await stage.peer(front, []);
    const load = creating(service, front);
    return { ours: await stage.load(load), theirs: await stage.load({ ...load, origins: [peer] }) };
  },
};
