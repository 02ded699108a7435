/** A pseudorandom generator: the same seed gives the same numbers. Predictable, so never use it for secrets. */
export class SeededRandom {
  readonly #seed: number;
  #state: number;

  /** @param seed A whole number. */
  constructor(seed: number) {
    this.#seed = seed;
    this.#state = hash(seed, "");
  }

  /** An independent generator for a name. Its numbers do not depend on how often this one was used. */
  fork(name: string): SeededRandom {
    return new SeededRandom(hash(this.#seed, name));
  }

  /** A number from 0 (included) to 1 (excluded), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** True with this probability: never with 0, always with 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A number from a uniform distribution. */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** An item of a list that is not empty. */
  pick<Item>(list: readonly [Item, ...Item[]]): Item {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
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
