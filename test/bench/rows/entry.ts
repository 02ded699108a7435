import { everyEntry } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Row } from "../row.js";
import { beside } from "./beside.js";
import { reading } from "./requests.js";
import { sameAnswer } from "./same-answer.js";

export const entry: Row = {
  name: "entry",
  measured: "GET entry, everything on",
  against: "bare Express, same row, same JSON",
  goal: 0.8,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(200) }));
    const { front = "" } = service.queues;
    const entries = await everyEntry(service, front);
    const peer = await stage.peer(front, entries);
    const waiting = entries.filter(({ status }) => status === "WAITING");
    const paths = waiting.map(({ id }) => `/v1/entries/${id}`);
    for (const path of paths) await sameAnswer(service, peer, path);
    return beside(stage, peer, reading(service, paths));
  },
};
