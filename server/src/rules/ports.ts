/** Where the time comes from: milliseconds since 1970. */
export type Clock = () => number;

/** Where randomness comes from: that many random bytes. */
export type Random = (bytes: number) => Uint8Array;
