/** A source of the time, in milliseconds since 1970. */
export type Clock = () => number;

/** A source of randomness: returns that many random bytes. */
export type Random = (bytes: number) => Uint8Array;
