/**
 * The operations of a noun of the port as steps, which return their results at once. `sqlite-store.ts` says in
 * which transaction a step runs.
 */
export type Steps<Noun> = {
  readonly [Name in keyof Noun]: Noun[Name] extends (...given: infer Given) => Promise<infer Result>
    ? (...given: Given) => Result
    : never;
};

/** What a step knows of a name. It reads it once. */
export function readOnce<Fact>(known: Map<string, Fact>, name: string, read: () => Fact): Fact {
  const found = known.get(name);
  if (found !== undefined) return found;
  const fact = read();
  known.set(name, fact);
  return fact;
}
