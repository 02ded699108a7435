import { pages } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Row } from "../row.js";
import { reading } from "./requests.js";

const pageSize = 50;

export const lastPage: Row = {
  name: "last-page",
  measured: "last page of a day of 100,000 entries",
  against: "its first page",
  goal: 0.85,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(100_000) }));
    const paths: string[] = [];
    for await (const page of pages(service, service.queues.front ?? "", pageSize)) {
      if (page.data.length !== pageSize) throw new Error(`${page.path} is not a full page`);
      paths.push(page.path);
    }
    return {
      ours: await stage.load(reading(service, paths.slice(-1))),
      theirs: await stage.load(reading(service, paths.slice(0, 1))),
    };
  },
};
