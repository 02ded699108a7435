import { hash } from "node:crypto";

/** The rows of a list, by the id of each row's element, in order. */
type Rows = ReadonlyMap<string, string>;

/**
 * A board as browsers show it at one time, in pieces that are replaced one by one. All of it is HTML; a
 * key is the id of the element that holds the piece.
 */
export interface Snapshot {
  /** The same for the same pieces, in whichever process they were made. */
  readonly id: string;
  /** Names the frame that the pieces stand in; see `frame.ts`. */
  readonly frame: string;
  readonly parts: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, Rows>;
}

/** A snapshot of these pieces, which takes over from the one before what is the same text. */
export function snapshotOf(
  { frame, parts, lists }: Omit<Snapshot, "id">,
  before: Snapshot | null,
): Snapshot {
  const known = (list: string, rows: Rows): Rows => {
    const earlier = before?.lists.get(list);
    if (!earlier) return rows;
    return new Map([...rows].map(([id, row]) => [id, same(earlier.get(id), row)]));
  };
  const shared = new Map([...lists].map(([id, rows]) => [id, known(id, rows)]));
  const text = JSON.stringify([frame, [...parts], [...lists].map(([id, rows]) => [id, [...rows]])]);
  return { id: hash("sha256", text, "base64url").slice(0, 20), frame, parts, lists: shared };
}

/** Equal texts as one, so that many snapshots of a long line take little memory. */
function same(earlier: string | undefined, now: string): string {
  return earlier === now ? earlier : now;
}

/**
 * What turns one snapshot into another of the same frame, as htmx takes it (`hx-swap-oob`); from nothing,
 * all of it. Rows have one order for ever, so what stays is never moved.
 */
export function patch(from: Snapshot | null, to: Snapshot): string {
  const parts = [...to.parts]
    .filter(([id, text]) => from?.parts.get(id) !== text)
    .map(([id, text]) => `<div id="${id}" hx-swap-oob="innerHTML">${text}</div>`);
  const lists = [...to.lists].flatMap(([id, rows]) => {
    const before = from?.lists.get(id);
    if (before) return patchRows(id, before, rows);
    return [`<ol id="${id}" hx-swap-oob="innerHTML">${[...rows.values()].join("")}</ol>`];
  });
  return [...parts, ...lists].join("\n");
}

function patchRows(list: string, before: Rows, after: Rows): string[] {
  const gone = [...before]
    .filter(([id, row]) => after.get(id) !== row)
    .map(([id]) => `<li id="${id}" hx-swap-oob="delete"></li>`);
  const come: string[] = [];
  let place = `afterbegin:#${list}`;
  let run: string[] = [];
  const insert = () => {
    if (run.length > 0) come.push(`<ol hx-swap-oob="${place}">${run.join("")}</ol>`);
    run = [];
  };
  for (const [id, row] of after) {
    if (before.get(id) === row) {
      insert();
      place = `afterend:#${id}`;
    } else {
      run.push(row);
    }
  }
  insert();
  return [...gone, ...come];
}
