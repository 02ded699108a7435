import { clinic, waiting } from "../clinic.js";
import type { Row } from "../row.js";
import { creating } from "./requests.js";

/** After so many creations, those are canceled off the clock, so that the short line stays short. */
const cancelEvery = 128;

export const longLine: Row = {
  name: "long-line",
  measured: "create with 10,000 people waiting",
  against: "with 10 waiting",
  goal: 0.67,
  async sides(stage) {
    const service = await stage.service(clinic({ long: waiting(10_000), short: waiting(10) }));
    const { long = "", short = "" } = service.queues;
    return {
      ours: await stage.load({ ...creating(service, long), cancelEvery }),
      theirs: await stage.load({ ...creating(service, short), cancelEvery }),
    };
  },
};
