import type { Model } from "mongoose";
import { mongo } from "mongoose";
import { connect, type Database } from "../../server/src/store/mongo/connection.js";
import { makeIndexes } from "../../server/src/store/mongo/indexes.js";
import { mongoStore } from "../../server/src/store/mongo/mongo-store.js";
import { storeTime } from "../../server/src/store/mongo/time.js";
import { start } from "../store/support/adapters.js";
import { mongoDatabase } from "../support/mongo.js";
import { Gate } from "./gate.js";
import type { Scene } from "./stage.js";

/** A deliberate error. */
export interface Break {
  /** A unique index that is missing. */
  readonly dropIndex?: string;
  /** A field that updates of a collection do not match. */
  readonly unmatched?: { readonly collection: string; readonly field: string };
}

/** Two instances on one MongoDB database. Each command of theirs is held. */
export async function mongoScene(
  atEnd: (end: () => Promise<void>) => void,
  { dropIndex, unmatched }: Break = {},
): Promise<Scene> {
  const { url, remove } = mongoDatabase();
  const lost = () => new mongo.MongoNetworkError("the answer was lost");
  const gates = ["one", "two"].map((name) => new Gate(name, lost));
  const databases = await Promise.all([connect(url), connect(url), connect(url)]);
  const observer = databases[2];
  await makeIndexes(observer);
  if (dropIndex !== undefined) await observer.entries.collection.dropIndex(dropIndex);
  atEnd(async () => {
    for (const database of databases) await database.close();
    await remove();
  });
  const storeOf = (db: Database) =>
    mongoStore(
      db,
      storeTime(
        async () => start,
        () => start,
        () => start,
      ),
    );
  const scene: Scene = {
    instances: [],
    observer: storeOf(observer),
    async empty() {
      // New instances remember nothing, and one that was killed stays so.
      scene.instances = gates.map((gate, place) => {
        gate.isClosed = false;
        return { gate, store: storeOf(held(databases[place] ?? observer, gate, unmatched)) };
      });
      const models = Object.values<unknown>(observer).filter(isModel);
      await Promise.all(models.map((model) => model.collection.deleteMany({})));
    },
  };
  return scene;
}

/** The methods of models and collections that change documents. */
const writes =
  /^(insertOne|insertMany|updateOne|updateMany|replaceOne|deleteOne|deleteMany|bulkWrite|findOneAndUpdate)$/;

function isModel(part: unknown): part is Model<unknown> {
  return typeof part === "function" && "collection" in part;
}

/** The same database, whose commands wait at a gate. */
function held(db: Database, gate: Gate, unmatched: Break["unmatched"]): Database {
  const models = Object.entries(db).map(([name, model]) => {
    if (!isModel(model)) return [name, model];
    const collection = holding(model.collection, name, gate, unmatched);
    return [name, holding(model, name, gate, unmatched, { collection })];
  });
  return Object.fromEntries(models) as Database;
}

function holding<Target extends object>(
  target: Target,
  touches: string,
  gate: Gate,
  unmatched: Break["unmatched"],
  replaced: Readonly<Record<string, unknown>> = {},
): Target {
  return new Proxy(target, {
    get(_, method) {
      if (method in replaced) return replaced[String(method)];
      const value = Reflect.get(target, method);
      if (typeof value !== "function" || typeof method !== "string") return value;
      return (...given: unknown[]) => {
        const isWrite = writes.test(method);
        if (isWrite && unmatched?.collection === touches) {
          given[0] = without(given[0], unmatched.field);
        }
        const kind = { name: `${method} ${touches}`, touches, isWrite };
        return chain(() => value.apply(target, given), kind, gate);
      };
    },
  });
}

type Kind = Parameters<Gate["hold"]>[0];

/** A query that is built by further calls, and waits at the gate when its result is asked for. */
function chain(build: () => unknown, kind: Kind, gate: Gate): unknown {
  const hold = () => gate.hold(kind, async () => (await build()) as unknown);
  return new Proxy(
    {},
    {
      get(_, method) {
        if (method === "then") {
          const result = hold();
          return result.then.bind(result);
        }
        return (...given: unknown[]) =>
          chain(
            () => (build() as Record<string, CallableFunction>)[String(method)]?.(...given),
            kind,
            gate,
          );
      },
    },
  );
}

/** A filter without a field, at any depth, or the updates of a bulk write with such filters. */
function without(filter: unknown, field: string): unknown {
  if (Array.isArray(filter) && filter[0]?.updateOne) {
    return filter.map(({ updateOne }) => {
      return { updateOne: { ...updateOne, filter: without(updateOne.filter, field) } };
    });
  }
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) return filter;
  const rest = Object.entries(filter).filter(([name]) => name !== field);
  return Object.fromEntries(rest.map(([name, value]) => [name, without(value, field)]));
}
