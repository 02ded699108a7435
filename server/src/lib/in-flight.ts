/**
 * What is under way, each in a place of its own until it is done. A Set or Map that things enter and leave all the time
 * leaves a trail of old tables behind, each of which keeps what was in it from being collected young: requests then live
 * until the next full garbage collection.
 */
export class InFlight<Item extends object> {
  readonly #items: (Item | null)[] = [];
  readonly #freePlaces: number[] = [];

  /** How many are under way. */
  get size(): number {
    return this.#items.length - this.#freePlaces.length;
  }

  /** Adds an item, and returns its place. */
  add(item: Item): number {
    const place = this.#freePlaces.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  /** Takes the item out of a place; undefined when none is there. */
  take(place: number): Item | undefined {
    const item = this.#items[place];
    if (!item) return undefined;
    this.#items[place] = null;
    this.#freePlaces.push(place);
    return item;
  }

  /** All items, in no particular order. */
  all(): Item[] {
    return this.#items.filter((item) => item !== null);
  }
}
