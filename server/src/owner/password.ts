import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Semaphore } from "../lib/semaphore.js";
import type { Random } from "../rules/ports.js";

const derive: (
  password: string,
  salt: Uint8Array,
  length: number,
  options: ScryptOptions,
) => Promise<Buffer> = promisify(scrypt);

/** The cost parameters of scrypt. A hash takes 128 × 2^ln × r bytes of memory, and time proportional to that times p. */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's first recommendation for scrypt: 128 MiB, and less than half a second of one core. */
const defaultCost: PasswordCost = { ln: 17, r: 8, p: 1 };

/**
 * At most two hashes are computed at the same time, which limits the memory of sign-ins to two times 128 MiB per
 * process. The waiting list is a few seconds long.
 */
const bounds = { concurrency: 2, maxWaiting: 20 } as const;

const saltBytes = 16;
const hashBytes = 32;

/** The minimum and maximum length of a password in code points. */
export const passwordLength = { min: 12, max: 128 } as const;

export interface PasswordsOptions {
  readonly random: Random;
  /** Default: ln 17, r 8, p 1. */
  readonly cost?: PasswordCost;
}

/** The reason why a password is refused, as a sentence for its user; null if it is accepted. */
export function passwordIssue(password: string): string | null {
  const { length } = [...password];
  const { min, max } = passwordLength;
  if (length < min)
    return `Choose a password of at least ${min} characters; this one has ${length}.`;
  if (length > max) return `Choose a password of at most ${max} characters.`;
  return null;
}

/**
 * Makes and checks password hashes with scrypt. A hash contains its parameters
 * (`$scrypt$ln=17,r=8,p=1$salt$hash`), so that it stays valid when the default cost changes.
 */
export class Passwords {
  readonly #random: Random;
  readonly #cost: PasswordCost;
  readonly #semaphore = new Semaphore(bounds);

  constructor({ random, cost = defaultCost }: PasswordsOptions) {
    this.#random = random;
    this.#cost = cost;
  }

  /**
   * Hashes a password. If the signal is aborted before the hashing starts, rejects with its reason.
   *
   * @throws QueueFullError
   */
  async hash(password: string, signal?: AbortSignal): Promise<string> {
    const salt = this.#random(saltBytes);
    const hash = await this.#derive(password, { salt, cost: this.#cost }, signal);
    const { ln, r, p } = this.#cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
  }

  /**
   * Whether a password matches a hash. With a null hash it never matches, and takes as long. If the signal is
   * aborted before the hashing starts, rejects with its reason.
   *
   * @throws QueueFullError
   */
  async matches(
    password: string,
    passwordHash: string | null,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const kept = passwordHash === null ? this.#dummy() : parse(passwordHash);
    const hash = await this.#derive(password, kept, signal);
    return timingSafeEqual(hash, kept.hash) && passwordHash !== null;
  }

  #dummy(): Parsed {
    return {
      cost: this.#cost,
      salt: new Uint8Array(saltBytes),
      hash: new Uint8Array(hashBytes),
    };
  }

  #derive(
    password: string,
    { salt, cost: { ln, r, p } }: Pick<Parsed, "salt" | "cost">,
    signal: AbortSignal | undefined,
  ): Promise<Buffer> {
    const N = 2 ** ln;
    const maxmem = 256 * N * r; // twice the required memory; Node's default limit is too low
    const options = { N, r, p, maxmem };
    return this.#semaphore.run(
      () => derive(password.normalize("NFKC"), salt, hashBytes, options),
      signal,
    );
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
  if (hash === "") throw new Error("a password hash in the database has an unknown format");
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

/** Base64 without padding, as in the PHC format. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
