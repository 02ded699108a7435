/** Headers with lower-case names, so that no name occurs twice. */
export function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether the header is valid: its name is a token, and its value has no control characters. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
