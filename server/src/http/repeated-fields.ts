const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * Names that the outermost object of a JSON text holds more than once. `JSON.parse` keeps the last of
 * them silently; two programs that read the same body could then disagree about it.
 */
export function repeatedFields(validJson: string): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  let text = "";
  for (const [token] of validJson.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") text = token;
    else if (depth === 1) {
      const name = JSON.parse(text) as string;
      if (seen.has(name)) repeated.add(name);
      seen.add(name);
    }
  }
  return [...repeated];
}
