/** Something that is due at a time. */
interface Due<Item> {
  readonly at: number;
  readonly item: Item;
}

/**
 * What is to happen, in the order of its time; of things at one time, first what was noted first. It is
 * as late as what was taken last.
 */
export class Agenda<Item> {
  readonly #dues: Due<Item>[] = [];
  #now = 0;

  /** The time that has come. */
  get now(): number {
    return this.#now;
  }

  get size(): number {
    return this.#dues.length;
  }

  /** What is due next; null when nothing is. */
  get next(): Due<Item> | null {
    return this.#dues[0] ?? null;
  }

  /** Notes something for a time; for now, if that is over. */
  at(time: number, item: Item): void {
    const at = Math.max(this.#now, time);
    const later = this.#dues.findIndex((due) => due.at > at);
    this.#dues.splice(later < 0 ? this.#dues.length : later, 0, { at, item });
  }

  /** Notes something for a while from now. */
  after(ms: number, item: Item): void {
    this.at(this.#now + ms, item);
  }

  /** Goes on to what is due next, and takes it; null when nothing is. */
  take(): Item | null {
    const due = this.#dues.shift();
    if (!due) return null;
    this.#now = due.at;
    return due.item;
  }
}
