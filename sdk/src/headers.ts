/** Headers with their names in lower case, so that the same name cannot come twice. */
export function lowerCased(
  headers: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const entries = Object.entries(headers ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
