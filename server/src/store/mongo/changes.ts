import type { Model, UpdateQuery } from "mongoose";
import { confirmed, raw, readOne } from "./connection.js";
import { newChangeId, type Revised, remembered } from "./documents.js";
import { duplicateOf, unknownResult, untilDone } from "./guard.js";

/** What a change of a document is decided to be. */
export type Decided<Doc, Result> =
  | {
      readonly result: Result;
      /** Absent if nothing changes. */
      readonly update?: UpdateQuery<Doc>;
      /** Recognizes the change if it is made again later. Default: a new one. */
      readonly changeId?: string;
      /** What the document must match in addition to its revision. */
      readonly match?: object;
      /** Called before the next try if another document has a value that must be unique. */
      readonly onDuplicate?: () => Promise<void>;
    }
  /** Something else that was read was changed meanwhile. */
  | "lost";

type Stored = Revised & { readonly _id: unknown };

/**
 * Changes a document: reads it, decides, and updates it if it still has the revision that it was decided on.
 * The loser of a race decides again. An update whose result is unknown is recognized by its change id.
 *
 * @param scope What each document of the caller matches.
 * @param find Finds the document. Null if there is none, which is then the result.
 */
export function changeOne<Doc extends Stored, Result>(
  model: Model<Doc>,
  scope: object,
  find: () => Promise<Doc | null>,
  decide: (doc: Doc) => Decided<Doc, Result> | Promise<Decided<Doc, Result>>,
): Promise<Result | null> {
  const made = new Map<string, Result>();
  /** The last document that was tried. If the result of its update is unknown, it may still arrive. */
  let tried: Doc | null = null;
  return untilDone<Result | null>(async (isRepeated) => {
    const again = isRepeated ? tried : null;
    const doc = await (again ? readOne(model, { ...scope, _id: again._id }) : find());
    if (!doc) return { done: null };
    const filter = { ...scope, _id: doc._id };
    const changes = doc.changes.find((changeId) => made.has(changeId));
    if (changes !== undefined && (await confirmed(model, { ...filter, changes }))) {
      return { done: made.get(changes) ?? null };
    }
    const decided = await decide(doc);
    if (decided === "lost") return decided;
    const { result, update, changeId = newChangeId(), match, onDuplicate } = decided;
    if (!update) {
      if (again?.revision === doc.revision) throw unknownResult();
      return { done: result };
    }
    tried = doc;
    made.set(changeId, result);
    const { $push, $inc, ...rest } = update;
    try {
      const { matchedCount } = await raw(model).updateOne(
        { ...match, ...filter, revision: doc.revision } as never,
        {
          ...rest,
          $push: { ...$push, ...remembered(changeId) },
          $inc: { ...$inc, revision: 1 },
        } as never,
      );
      return matchedCount === 1 ? { done: result } : "lost";
    } catch (error) {
      if (!onDuplicate || duplicateOf(error) === null) throw error;
      await onDuplicate();
      return "lost";
    }
  });
}
