import { newMongoDatabase } from "../../mongo.js";
import type { Row } from "../../row.js";
import { lastPageRow } from "../last-page.js";
import { longLineRow } from "../long-line.js";
import { mongoCreate } from "./create.js";
import { mongoDoor } from "./door.js";
import { mongoEntry } from "./entry.js";
import { mongoInstancesCreating, mongoInstancesReading } from "./instances.js";
import { mongoList } from "./list.js";
import { apart, together } from "./tenants.js";

/** A long day or line may make a request take at most 1.5 times as long. */
const goal = 1 / 1.5;

/** The rows that need a MongoDB server, in their order. */
export const mongoRows: readonly Row[] = [
  mongoEntry(together),
  mongoEntry(apart),
  mongoList(together),
  mongoList(apart),
  mongoCreate(together),
  mongoCreate(apart),
  mongoDoor,
  mongoInstancesReading,
  mongoInstancesCreating,
  lastPageRow({
    name: "mongo-last-page",
    measured: "MongoDB: last page of a day of 100,000 entries",
    goal,
    newDatabase: newMongoDatabase,
  }),
  longLineRow({
    name: "mongo-long-line",
    measured: "MongoDB: create with 10,000 people waiting",
    goal,
    newDatabase: newMongoDatabase,
  }),
];
