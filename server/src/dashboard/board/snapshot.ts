import { hash } from "node:crypto";

/** The rows of a list, by the id of each row's element, in order. */
type Rows = ReadonlyMap<string, string>;

/**
 * A board as browsers show it at one time, in pieces that are replaced one by one. The values are HTML; a
 * key is the id of the element that holds the piece.
 */
export interface Snapshot {
  /** Equal pieces have the same id, in all processes. */
  readonly id: string;
  /** The id of the frame around the pieces; see `frame.ts`. */
  readonly frame: string;
  readonly parts: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, Rows>;
}

/** A snapshot of these pieces. It reuses equal texts of the previous snapshot. */
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

/** Returns the earlier text if both are equal, so that many snapshots of a long line take little memory. */
function same(earlier: string | undefined, now: string): string {
  return earlier === now ? earlier : now;
}

/**
 * The patch from one snapshot to another of the same frame, as htmx out-of-band swaps (`hx-swap-oob`); from
 * null, the whole snapshot. The order of rows never changes, so rows that stay are never moved.
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
