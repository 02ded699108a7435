import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Random } from "../rules/ports.js";

const derive: (
  password: string,
  salt: Uint8Array,
  length: number,
  options: ScryptOptions,
) => Promise<Buffer> = promisify(scrypt);

/** What one hash costs: 128 × 2^ln × r bytes of memory, and time in proportion to that and p. */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's first recommendation for scrypt: 128 MiB, and less than half a second of one core. */
const defaultCost: PasswordCost = { ln: 17, r: 8, p: 1 };

/** Hashes that are made at once: their memory, two times 128 MiB, is all that sign-ins ever take. */
const mostAtOnce = 2;
/** Hashes that may wait their turn: some seconds' worth. */
const mostWaiting = 20;

const saltBytes = 16;
const hashBytes = 32;

/** Fewest and most characters of a password, as code points. */
export const passwordLength = { min: 12, max: 128 } as const;

/** Thrown when so many passwords wait to be hashed that another one would wait too long. */
export class TooManyPasswords extends Error {
  override readonly name = "TooManyPasswords";
}

export interface PasswordsOptions {
  readonly random: Random;
  /** Default: ln 17, r 8, p 1. */
  readonly cost?: PasswordCost;
}

/** What of a password is wrong, as a sentence for its owner; null for one that can be set. */
export function passwordFault(password: string): string | null {
  const { length } = [...password];
  const { min, max } = passwordLength;
  if (length < min)
    return `Choose a password of at least ${min} characters; this one has ${length}.`;
  if (length > max) return `Choose a password of at most ${max} characters.`;
  return null;
}

/**
 * Makes and checks password hashes with scrypt. They carry their parameters
 * (`$scrypt$ln=17,r=8,p=1$salt$hash`), so that a hash stays good when the cost changes.
 */
export class Passwords {
  readonly #random: Random;
  readonly #cost: PasswordCost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ random, cost = defaultCost }: PasswordsOptions) {
    this.#random = random;
    this.#cost = cost;
  }

  /** @throws TooManyPasswords */
  async hash(password: string): Promise<string> {
    const salt = this.#random(saltBytes);
    const hash = await this.#derive(password, salt, this.#cost);
    const { ln, r, p } = this.#cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
  }

  /**
   * Whether a password is the one that was hashed. Without a hash nothing is right, and takes as long.
   *
   * @throws TooManyPasswords
   */
  async matches(password: string, passwordHash: string | null): Promise<boolean> {
    const kept = passwordHash === null ? this.#dummy() : parse(passwordHash);
    const hash = await this.#derive(password, kept.salt, kept.cost);
    return timingSafeEqual(hash, kept.hash) && passwordHash !== null;
  }

  #dummy(): Parsed {
    return {
      cost: this.#cost,
      salt: new Uint8Array(saltBytes),
      hash: new Uint8Array(hashBytes),
    };
  }

  async #derive(password: string, salt: Uint8Array, { ln, r, p }: PasswordCost): Promise<Buffer> {
    await this.#turn();
    try {
      const N = 2 ** ln;
      const maxmem = 256 * N * r; // Node's own limit is below what is asked for; this is twice of it
      return await derive(password.normalize("NFKC"), salt, hashBytes, { N, r, p, maxmem });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  /** Waits for a place among those at work; whoever ends hands their place on. */
  async #turn(): Promise<void> {
    if (this.#running < mostAtOnce) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= mostWaiting) throw new TooManyPasswords();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

interface Parsed {
  readonly cost: PasswordCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

function parse(text: string): Parsed {
  const [, ln, r, p, salt = "", hash = ""] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(text) ?? [];
  if (hash === "") throw new Error("a password hash in the database is not of the known form");
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

/** Without the padding, as the PHC format has it. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
