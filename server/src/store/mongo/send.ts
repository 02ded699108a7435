import { setTimeout as pause } from "node:timers/promises";
import { Types } from "mongoose";
import { RunAgain, StoreUnavailableError } from "../errors.js";
import type { Access, Write } from "../port.js";
import { audited, primaryKeys, type TableName } from "../tables.js";
import { type CommandRunner, soonMs } from "./command-runner.js";
import type { Database } from "./connection.js";
import { isConflict, isDuplicate } from "./errors.js";
import { type Doc, docOf, isAbsentIfNull } from "./models.js";

/** How many of its last changes a document remembers. */
const changesKept = 8;

/** The pause before a write is sent again whose response was lost, in milliseconds. */
const retryDelayMs = 50;

/**
 * Writes a record by one command. A write whose response was lost is sent again. This never writes it twice, because it
 * inserts an id that is free, or matches a version. If it then finds that something was written first, the ids of the
 * changes in the document tell whether it was this write.
 *
 * mongoose validates a document that is inserted. In an update it checks the names and types of fields only, which takes
 * a fifth of the time.
 */
export function sendOf({ models }: Database, commands: CommandRunner): Access["send"] {
  /**
   * Sends a write once. `conflict`: it matched no document, an index has its values, or another write of the document was
   * under way. After a lost response, that other write can be this one: then the result is unknown.
   */
  async function attempt(
    write: Write,
    changeId: string,
    isAgain: boolean,
  ): Promise<"done" | "conflict"> {
    const model = models[write.table];
    try {
      return await commands.once(async () => {
        if (write.kind === "insert") {
          await model.insertOne(insertedDoc(write, changeId) as never);
          return "done";
        }
        const asRead = filterOf(write.table, write.before);
        if (write.kind === "remove") {
          const { deletedCount } = await model.deleteOne(asRead);
          return deletedCount === 1 ? "done" : "conflict";
        }
        const update = updateOf(write, changeId);
        const { matchedCount } = await model.updateOne(asRead, update);
        return matchedCount === 1 ? "done" : "conflict";
      });
    } catch (error) {
      if (isDuplicate(error)) return "conflict";
      if (!isConflict(error)) throw error;
      if (!isAgain) return "conflict";
      const message = "a write whose response was lost met another one";
      throw new StoreUnavailableError(message, { cause: error });
    }
  }

  /**
   * Whether an earlier try made this write. It asks by a write that changes nothing, because the response to a write
   * waits until a majority of the servers has what it found. An election may roll back anything else.
   */
  async function wasMade(write: Write, changeId: string): Promise<boolean> {
    const record = write.kind === "insert" ? write.record : write.before;
    const { _id } = docOf(write.table, record, 0);
    const isFound = async (filter: object) => {
      const nothing = { $pull: { changes: "" } };
      const command = () => models[write.table].updateOne({ _id, ...filter }, nothing);
      return (await commands.repeatable(command)).matchedCount === 1;
    };
    return write.kind === "remove" ? !(await isFound({})) : isFound({ changes: changeId });
  }

  return async (write) => {
    const changeId = new Types.ObjectId().toHexString();
    const began = performance.now();
    for (let isUnknown = false; ; isUnknown = true) {
      try {
        const result = await attempt(write, changeId, isUnknown);
        if (result === "done" || (isUnknown && (await wasMade(write, changeId)))) return;
        throw new RunAgain();
      } catch (error) {
        const isLate = performance.now() - began > soonMs;
        if (!(error instanceof StoreUnavailableError) || isLate) throw error;
        await pause(retryDelayMs);
      }
    }
  };
}

function filterOf(table: TableName, before: Doc | object) {
  const { version } = before as Doc;
  const { _id } = docOf(table, before as never, version);
  return { _id, version };
}

function insertedDoc({ table, record, audit }: Write & { kind: "insert" }, changeId: string) {
  const audits = table in audited && { audits: audit ? [docOf("audit", audit, 0)] : [] };
  return { ...docOf(table, record, 0), changes: [changeId], ...audits };
}

function updateOf({ table, before, record, audit }: Write & { kind: "update" }, changeId: string) {
  const [old, now] = [before, record] as unknown as [Doc, Doc];
  const primaryKey = primaryKeys[table];
  if (old[primaryKey] !== now[primaryKey])
    throw new Error(`an update of ${table} keeps its ${primaryKey}`);
  const changed = Object.entries(now).filter(([field, value]) => value !== old[field]);
  const isAbsent = ([field, value]: readonly [string, unknown]) =>
    value === null && isAbsentIfNull(table, field);
  const rows = audit ? [docOf("audit", audit, 0)] : [];
  // A business that replaces another one does not take over its log.
  const isReplaced = table === "businesses" && old.id !== now.id;
  const set = Object.fromEntries(changed.filter((one) => !isAbsent(one)));
  return {
    $set: { ...set, ...(isReplaced && { audits: rows }) },
    $unset: Object.fromEntries(changed.filter(isAbsent)),
    $inc: { version: 1 },
    $push: {
      changes: { $each: [changeId], $slice: -changesKept },
      ...(audit && !isReplaced && { audits: { $each: rows } }),
    },
  };
}
