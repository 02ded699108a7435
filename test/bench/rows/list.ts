import { everyEntry } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Row } from "../row.js";
import { beside } from "./beside.js";
import { reading } from "./requests.js";
import { sameAnswer } from "./same-answer.js";

export const list: Row = {
  name: "list",
  measured: "list of 50 entries",
  against: "bare Express, same rows, same JSON",
  goal: 1,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(200) }));
    const { front = "" } = service.queues;
    const peer = await stage.peer(front, await everyEntry(service, front));
    const path = `/v1/queues/${front}/entries`;
    await sameAnswer(service, peer, path);
    return beside(stage, peer, reading(service, [path]));
  },
};
