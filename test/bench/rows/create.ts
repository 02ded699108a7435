import { clinic } from "../clinic.js";
import type { Row } from "../row.js";
import { beside } from "./beside.js";
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
    return beside(stage, peer, creating(service, front));
  },
};
