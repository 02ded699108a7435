/**
 * The operations of a noun of the port as steps, which return their results at once. `sqlite-store.ts` says in
 * which transaction a step runs.
 */
export type Steps<Noun> = {
  readonly [Name in keyof Noun]: Noun[Name] extends (...given: infer Given) => Promise<infer Result>
    ? (...given: Given) => Result
    : never;
};
