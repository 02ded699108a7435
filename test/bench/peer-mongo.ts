import mongoose, { Schema } from "mongoose";
import { columns, namesOf, type PeerDatabase, type Tables } from "./peer-database.js";

const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });
const indexes: Readonly<Partial<Record<keyof Tables, [string[], object][]>>> = {
  entries: [
    [["businessId", "date", "queueId", "tokenNumber"], { unique: true }],
    [["businessId", "date", "sequenceInDay"], { unique: true }],
    [["businessId", "key"], { unique: true, ...having("key") }],
    [
      [
        ...["businessId", "date", "queueId", "status", "priority", "workMinutes", "tokenNumber"],
        ...["startedAt", "completedAt"],
      ],
      {},
    ],
    [["businessId", "audits.at"], having("audits.at")],
  ],
  audit: [[["businessId", "at"], {}]],
};

/** The fields of a document. The audit row of a creation is in the document of its entry, so that one command writes both. */
function fieldsOf(table: keyof Tables): object {
  const fields = columns[table].map((column) => {
    const [name = "", type = ""] = column.split(" ");
    if (name === "id") return ["_id", { type: String, required: true }];
    const isText = type.startsWith("TEXT");
    return [name, { type: isText ? String : Number, required: !type.endsWith("?") }];
  });
  const own = Object.fromEntries(fields);
  return table === "entries" ? { ...own, audits: [new Schema(fieldsOf("audit") as never)] } : own;
}

/** The peer's database on a MongoDB server. Everything is acknowledged by a majority. */
export async function mongoDatabase(url: string): Promise<PeerDatabase> {
  const options = {
    maxPoolSize: 50,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    writeConcern: { w: "majority" },
    readConcern: { level: "majority" },
  } as const;
  const connection = await mongoose.createConnection(url, options).asPromise();
  const modelOf = (table: keyof Tables) => {
    const schema = new Schema(fieldsOf(table) as never, { versionKey: false, collection: table });
    for (const [names, more] of indexes[table] ?? []) {
      schema.index(Object.fromEntries(names.map((name) => [name, 1 as const])), more);
    }
    return connection.model<Record<string, never>>(table, schema as never);
  };
  const models = Object.fromEntries(
    Object.keys(columns).map((table) => [table, modelOf(table as keyof Tables)]),
  ) as Record<keyof Tables, ReturnType<typeof modelOf>>;
  for (const { schema, collection } of Object.values(models)) {
    // one command, because DocumentDB takes no second one of a new collection
    const made = schema.indexes().map(([key, more]) => ({ key, ...more }));
    if (made.length > 0) await collection.createIndexes(made as never);
  }

  // what is null is left out of a document, and so of the indexes
  const docOf = ({ id, ...rest }: { readonly id: string }) =>
    Object.fromEntries(Object.entries({ _id: id, ...rest }).filter(([, value]) => value !== null));
  const recordOf = <T extends keyof Tables>(
    table: T,
    { _id, ...rest }: Record<string, unknown>,
  ) => {
    const nulls = Object.fromEntries(namesOf(table).map((name) => [name, null]));
    return { ...nulls, ...rest, id: _id } as unknown as Tables[T];
  };

  return {
    async find(table, { id, ...where }: { id?: string }) {
      const filter = { ...(id !== undefined && { _id: id }), ...where };
      const found = await models[table].findOne(filter, { audits: 0 }).lean();
      return found && recordOf(table, found);
    },

    async page(where, after, limit) {
      const found = await models.entries
        .find({ ...where, tokenNumber: { $gt: after } } as never, { audits: 0 })
        .sort({ tokenNumber: 1 })
        .limit(limit)
        .lean();
      return found.map((one) => recordOf("entries", one));
    },

    async groups({ businessId, date, queueId }, tokenNumber) {
      const found = await models.entries.aggregate([
        { $match: { businessId, date, queueId } },
        {
          $group: {
            _id: { status: "$status", priority: "$priority", workMinutes: "$workMinutes" },
            entries: { $sum: 1 },
            before: { $sum: { $cond: [{ $lt: ["$tokenNumber", tokenNumber] }, 1, 0] } },
            finishedMs: { $sum: { $subtract: ["$completedAt", "$startedAt"] } },
          },
        },
      ]);
      return found.map(({ _id, ...rest }) => ({ workMinutes: null, ...rest, ..._id }));
    },

    async last({ businessId, date, queueId }) {
      const highest = async (filter: object, field: string) => {
        const [found] = await models.entries
          .find(filter, { _id: 0, [field]: 1 })
          .sort({ [field]: -1 })
          .limit(1)
          .lean();
        return Number(found?.[field] ?? 0);
      };
      const [number, sequence] = await Promise.all([
        highest({ businessId, date, queueId }, "tokenNumber"),
        highest({ businessId, date }, "sequenceInDay"),
      ]);
      return { number, sequence };
    },

    async charge({ id, ...before }, { startedAt, requests, writes }) {
      const asRead = { _id: id, ...before } as never;
      const after = { $set: { startedAt, requests, writes } };
      return (await models.windows.updateOne(asRead, after)).matchedCount === 1;
    },

    async insert(table, record, audit) {
      const doc = { ...docOf(record), ...(audit && { audits: [docOf(audit)] }) };
      try {
        await models[table].insertOne(doc as never);
        return true;
      } catch (error) {
        if ((error as { code?: number }).code === 11000) return false;
        throw error;
      }
    },
  };
}
