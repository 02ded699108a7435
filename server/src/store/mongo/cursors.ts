import type { Collection } from "./connection.js";

/** The maximum number of list positions that one process remembers. */
const mostRemembered = 20_000;

/** An item of a list. Code that changes its position calls `forget`. */
interface Listed {
  readonly _id: string;
  readonly businessId: string;
  readonly date: string;
  readonly queueId?: string;
}

type List = Omit<Listed, "_id" | "date">;

/** An item's day, and its position in the list of that day. */
interface Standing<Place> {
  readonly date: string;
  readonly place: Place;
}

/**
 * The list positions of the last items of pages. If the next page is requested from the same process, it
 * needs no command to find its start.
 */
export class Cursors<Doc extends Listed, Place> {
  readonly #placeOf: (doc: Doc) => Place;
  readonly #remembered = new Map<string, Standing<Place> & { readonly list: List }>();

  constructor(placeOf: (doc: Doc) => Place) {
    this.#placeOf = placeOf;
  }

  /** Remembers the last item of a page. */
  remember(doc: Doc): void {
    const { _id, businessId, date, queueId } = doc;
    const list = { businessId, ...(queueId !== undefined && { queueId }) };
    this.#remembered.delete(_id);
    this.#remembered.set(_id, { list, date, place: this.#placeOf(doc) });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > mostRemembered && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
  }

  /** Forgets an item, because its position may have changed. */
  forget(id: string): void {
    this.#remembered.delete(id);
  }

  /** Forgets all items, because they may have been removed. */
  forgetAll(): void {
    this.#remembered.clear();
  }

  /** The position of an item; null if the list does not contain it on any day. */
  async find({ model }: Collection<Doc>, id: string, list: List): Promise<Standing<Place> | null> {
    const known = this.#remembered.get(id);
    if (known) return isSame(known.list, list) ? known : null;
    const doc = (await model.findById(id).lean()) as Doc | null;
    return doc && isSame(doc, list) ? { date: doc.date, place: this.#placeOf(doc) } : null;
  }
}

function isSame(a: List, b: List): boolean {
  return a.businessId === b.businessId && a.queueId === b.queueId;
}
