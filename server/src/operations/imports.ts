import type { Page } from "../rules/list.js";
import type { KeyWithLastUse } from "../rules/records.js";
import type { Port, Tx, ViewTx } from "../store/port.js";
import type { BusinessRecord, Tables } from "../store/tables.js";
import { withLastUse } from "./keys.js";
import { change, view } from "./operation.js";
import { keepWindows, keyWindowsId, keyWindowsKeptSeconds } from "./windows.js";

/** A business with its queues, services, keys and accounts: what is written last, as the commit. */
export type BusinessHead = Omit<BusinessRecord, "added" | "used" | "keys"> & {
  readonly keys: readonly KeyWithLastUse[];
};

/** The tables that hold many records of a business. Of each: which are exported, and in which order they are read. */
const exported = {
  entries: { where: {}, order: ["date", "sequenceInDay"] },
  appointments: { where: { isRemoved: false }, order: ["date", "slotTime", "id"] },
  audit: { where: {}, order: ["at", "id"] },
} as const;

export type RecordKind = keyof typeof exported;

export const recordKinds = Object.keys(exported) as RecordKind[];

/** The maximum number of records in a batch, so that other operations do not wait long for it. */
export const importBatchSize = 500;

/** How long an import may take from one batch to the next, and to its commit, in milliseconds. */
export const importPauseMs = 3_600_000;

export type ImportOutcome = "imported" | "slug_exists";

/**
 * Importing and exporting whole businesses. Records come first, in any number of batches. The head comes last and is the
 * commit: before it nobody sees them. The housekeeper removes what no business names an hour after its last batch, and the
 * import can then not go on. Sessions and windows are not copied: they expire within hours, and owners can sign in again.
 */
export const imports = {
  /** Begins the import of a business that does not exist yet, or begins again one that was interrupted. */
  begin(port: Port) {
    return async (businessId: string): Promise<void> => {
      const business = await port.read((tx) => tx.find("businesses", { id: businessId }));
      if (business) throw new Error("an import begins for a business that exists");
      for (const table of recordKinds) {
        while ((await port.removeOfBusiness(table, businessId, importBatchSize)) > 0);
      }
      await port.run((tx) => touchImport(tx, businessId));
    };
  },

  /**
   * Stores at most {@link importBatchSize} records of a business whose import began. Storing the same batch again changes
   * nothing.
   */
  add(port: Port) {
    return async <K extends RecordKind>(
      businessId: string,
      kind: K,
      records: readonly Tables[K][],
    ): Promise<void> => {
      await port.run((tx) => goOn(tx, businessId));
      if (records.length > 0) await port.append(kind, records);
    };
  },

  /**
   * Makes the business exist. If its slug is taken, it replaces that business with all its records if `replace` is
   * true, and else is refused.
   */
  commit(port: Port) {
    return async (
      head: BusinessHead,
      { replace }: { readonly replace: boolean },
    ): Promise<ImportOutcome> => {
      const { id, slug } = head;
      await port.run((tx) => goOn(tx, id)); // from now on it has an hour for its commit
      const before = await port.read((tx) => tx.find("businesses", { slug }));
      // From now on its records are removed if no business names them an hour later.
      if (before && replace) await port.run((tx) => touchImport(tx, before.id));
      for (const { id, lastUsedAt } of head.keys) {
        if (lastUsedAt !== null) await port.run((tx) => noteLastUse(tx, id, lastUsedAt));
      }
      return port.run((tx) => commitHead(tx, head, replace));
    };
  },

  /** The head of a business; null if it does not exist. */
  head: view(async (tx, businessId: string): Promise<BusinessHead | null> => {
    const record = await tx.find("businesses", { id: businessId });
    if (!record) return null;
    const { added, used, version, ...business } = record;
    return { ...business, keys: await withLastUse(tx, business.keys) };
  }),

  /** Reads the records of one kind: the page at a cursor, or (null) the first one. */
  read(port: Port) {
    return <K extends RecordKind>(businessId: string, kind: K, after: string | null) =>
      port.read((tx) => readBatch(tx, businessId, kind, after));
  },

  /** Marks the database as the target of a copy, on which no service starts, or removes the mark. */
  markCopying: change(async (tx, isCopying: boolean): Promise<void> => {
    const marked = await tx.find("imports", { id: copyMark });
    if (isCopying && !marked) tx.insert("imports", { id: copyMark, at: tx.now });
    if (!isCopying && marked) tx.remove("imports", marked);
  }),

  /** Whether the database is the target of a copy that did not end. */
  isCopying: view(async (tx): Promise<boolean> => {
    return (await tx.find("imports", { id: copyMark })) !== null;
  }),
};

async function noteLastUse(tx: Tx, keyId: string, lastUsedAt: number): Promise<void> {
  const id = keyWindowsId(keyId);
  const before = await tx.find("windows", { id });
  const requests = { startedAt: lastUsedAt, count: 0 };
  if (!before) keepWindows(tx, null, { id, requests, writes: null }, keyWindowsKeptSeconds);
}

/** The mark of the target of a copy. It has no shape of an id of a business. */
export const copyMark = "copy";

/** The time of the record of an import whose records the housekeeper removes: no clock shows it. It cannot go on. */
export const ending = -1;

/** Notes that an import goes on. Throws if it was not begun, or its records were removed since. */
async function goOn(tx: Tx, businessId: string): Promise<void> {
  const begun = await tx.find("imports", { id: businessId });
  if (!begun || begun.at === ending) {
    throw new Error("the import paused for too long, and its records were removed: import again");
  }
  tx.update("imports", begun, { at: tx.expiry });
}

async function touchImport(tx: Tx, businessId: string): Promise<void> {
  const known = await tx.find("imports", { id: businessId });
  if (known) tx.update("imports", known, { at: tx.expiry });
  else tx.insert("imports", { id: businessId, at: tx.expiry });
}

async function commitHead(tx: Tx, head: BusinessHead, replace: boolean): Promise<ImportOutcome> {
  const before = await tx.find("businesses", { slug: head.slug });
  const record: BusinessRecord = {
    ...head,
    added: tx.orderedId(),
    keys: head.keys.map(({ lastUsedAt, ...key }) => key),
    // An old note: what was imported may refer to them, which a removal then looks for.
    used: [...head.queues, ...head.services].map(({ id }) => ({ id, at: 0 })),
  };
  if (before && !replace) return "slug_exists";
  if (before) tx.update("businesses", before, record);
  else tx.insert("businesses", record);
  return "imported";
}

/** `after`: the position of the last record of the batch before, as JSON; null for the first batch. */
async function readBatch<K extends RecordKind>(
  tx: ViewTx,
  businessId: string,
  kind: K,
  after: string | null,
): Promise<Page<Tables[K]>> {
  const { where, order } = exported[kind];
  const found = await tx.list(kind, {
    where: { businessId, ...where },
    order,
    after: after === null ? null : JSON.parse(after),
    limit: importBatchSize,
  });
  const last = found.length === importBatchSize ? found.at(-1) : undefined;
  return {
    items: found.map(({ version, ...record }) => record as unknown as Tables[K]),
    nextCursor: last ? JSON.stringify(order.map((field) => last[field as keyof Tables[K]])) : null,
  };
}
