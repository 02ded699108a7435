import type { Row } from "../../row.js";
import { readingBy } from "../requests.js";
import { apart, tenantsOnMongo } from "./tenants.js";

/** The cost of the key and its windows: each side sends one command, and ours stores something. */
export const mongoDoor: Row = {
  name: "mongo-door",
  measured: "MongoDB: GET /v1/me, the key and its windows alone",
  against: "GET /v1, which needs no key",
  goal: 0.6,
  async sides(stage) {
    const { origin, tenants } = await tenantsOnMongo(stage, apart, 0);
    const of = (path: string) => tenants.map(({ key }) => ({ key, paths: [path] }));
    return {
      ours: await stage.load(readingBy(origin, of("/v1/me"))),
      theirs: await stage.load(readingBy(origin, of("/v1"))),
    };
  },
};
