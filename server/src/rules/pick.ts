/** The fields of a record with these names. */
export function pick<Of, Name extends keyof Of>(record: Of, ...names: Name[]): Pick<Of, Name> {
  const picked = {} as Pick<Of, Name>;
  for (const name of names) picked[name] = record[name];
  return picked;
}
