import { clinic, waiting } from "../../bench/clinic.js";
import { signedInOwner } from "../owner.js";
import type { Row } from "../row.js";
import {
  asking,
  besiegedByConnections,
  healthyBusiness,
  memoryBound,
  promptness,
} from "../target.js";

/** As many as a queue gives on one day. */
const people = 10_000;
const keys = 10;
const seconds = 40;
const slug = "crowded";

/** The intervals at which an owner opens the line, and each key polls at its limit. */
const everyMs = 500;

const mostPageBytes = 2 ** 20;

export const longLine: Row = {
  name: "long-line",
  attack: `${people} people wait in one queue; ${keys} keys poll it, and an owner opens the whole line`,
  seconds: seconds + 60,
  async run(stage, showProgress) {
    const [crowded] = clinic({ front: waiting(people) }).businesses;
    if (!crowded) throw new Error("the seed has no business");
    const ownKeys = Array.from({ length: keys - 1 }, (_, at) => ({
      ref: `key-${at}`,
      name: `Screen ${at}`,
      scopes: ["queue:read" as const],
    }));
    const business = { ...crowded, slug, keys: [...(crowded.keys ?? []), ...ownKeys] };
    const service = await stage.service({
      businesses: [...healthyBusiness.businesses, business],
    });
    showProgress("the line is there");
    const queueId = service.tenants[1]?.queues.front ?? "";
    const allKeys = Object.values(service.tenants[1]?.keys ?? {});
    const owner = await signedInOwner(service, slug);
    const pages: { bytes: number; milliseconds: number }[] = [];

    const path = `/v1/queues/${queueId}`;
    const groups = allKeys.map((key) => asking(path, key, { connections: 1, pauseMs: everyMs }));
    const ended = new AbortController();
    const opening = (async () => {
      while (!ended.signal.aborted) {
        const began = performance.now();
        const place = pages.length % 2 === 0 ? 1 : people; // the start and the end, alternately
        const page = await owner.get(`/dashboard?all=${queueId}&from=${place}`);
        pages.push({ bytes: page.length, milliseconds: performance.now() - began });
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    })();
    const siege = await besiegedByConnections(stage, service, { seconds, groups }, showProgress);
    ended.abort();
    await opening;
    const bytes = Math.max(...pages.map((page) => page.bytes));
    const milliseconds = Math.max(...pages.map((page) => page.milliseconds));
    return [
      ...promptness(siege, 50),
      memoryBound(siege, 400),
      {
        what: `the page of the whole line (the slowest of ${pages.length} took ${Math.round(milliseconds)} ms)`,
        goal: `< ${mostPageBytes / 2 ** 20} MB`,
        measured: `${(bytes / 2 ** 20).toFixed(2)} MB`,
        met: bytes < mostPageBytes,
      },
    ];
  },
};
