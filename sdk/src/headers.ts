/** Headers with their names in lower case, so that the same name cannot come twice. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether a request can carry this header: its name is a token, its value holds no control character. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
