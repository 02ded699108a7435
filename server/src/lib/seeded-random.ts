/** Chance that is the same for the same seed, in every run. For stories; it can be guessed. */
export class Dice {
  readonly #seed: number;
  #state: number;

  /** @param seed A whole number. */
  constructor(seed: number) {
    this.#seed = seed;
    this.#state = hash(seed, "");
  }

  /** Dice of their own for a thing by its name: what is thrown elsewhere does not change what they show. */
  of(name: string): Dice {
    return new Dice(hash(this.#seed, name));
  }

  /** From 0 up to 1 (mulberry32). */
  throw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whether something happens that happens so often: 0 is never, 1 always. */
  chance(probability: number): boolean {
    return this.throw() < probability;
  }

  /** Evenly from one number up to another. */
  between(from: number, to: number): number {
    return from + this.throw() * (to - from);
  }

  /** How long until the next of things that happen independently, so far apart on average. */
  gap(mean: number): number {
    return -Math.log(1 - this.throw()) * mean;
  }

  /** One of a list; the list must not be empty. */
  pick<Item>(list: readonly [Item, ...Item[]]): Item {
    return list[Math.floor(this.throw() * list.length)] ?? list[0];
  }
}

/** FNV-1a over a number and a text. */
function hash(seed: number, name: string): number {
  let mixed = 0x811c9dc5;
  for (const character of `${seed}/${name}`) {
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return mixed >>> 0;
}
