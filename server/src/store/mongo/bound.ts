/** Methods of an object, bound to it. */
export function bound<Noun extends object, Name extends keyof Noun>(
  noun: Noun,
  ...names: readonly Name[]
): Pick<Noun, Name> {
  const methods = names.map((name) => [name, (noun[name] as CallableFunction).bind(noun)]);
  return Object.fromEntries(methods) as Pick<Noun, Name>;
}
