import { openMongo } from "../../../server/src/store/mongo/open-mongo.js";
import { atEnd } from "../../support/at-end.js";
import { emptyMongoDatabase } from "../../support/mongo.js";
import type { TestedAdapter } from "./adapters.js";

export const mongo: TestedAdapter = {
  name: "mongo",
  isShared: true,
  async database() {
    const { url, remove } = emptyMongoDatabase();
    atEnd(remove);
    return { open: async () => (await openMongo(url, { prepare: "always" })).adapter };
  },
};
