import type { Collection } from "./connection.js";

/** How many list positions one process remembers. */
const mostRemembered = 20_000;

/** Something in a list. Whoever moves it to another place says so, see `forget`. */
interface Listed {
  readonly _id: string;
  readonly businessId: string;
  readonly date: string;
  readonly queueId?: string;
}

type List = Omit<Listed, "_id" | "date">;

/** An item's day, and where in the list of that day it stands. */
interface Standing<Place> {
  readonly date: string;
  readonly place: Place;
}

/**
 * Where in its list an item stands that a page ended with. The next page most often comes here too, and
 * then costs no command to find that out.
 */
export class Cursors<Doc extends Listed, Place> {
  readonly #placeOf: (doc: Doc) => Place;
  readonly #remembered = new Map<string, Standing<Place> & { readonly list: List }>();

  constructor(placeOf: (doc: Doc) => Place) {
    this.#placeOf = placeOf;
  }

  /** Takes note of the last item of a page. */
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

  /** Forgets an item: it may stand elsewhere now. */
  forget(id: string): void {
    this.#remembered.delete(id);
  }

  /** Forgets everything: what was listed may be gone. */
  forgetAll(): void {
    this.#remembered.clear();
  }

  /** Where the item stands; null when it is not an item of that list, on any day. */
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
