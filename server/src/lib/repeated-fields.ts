const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/gs;

/** The most paths that are written. Each can be as long as the text, and then takes as long to write. */
const maxPaths = 20;

/**
 * The paths, such as `queues[0].name`, of the first fields that occur more than once in one object of a JSON text.
 * `JSON.parse` silently keeps the last value, while another program may keep the first.
 */
export function repeatedFields(validJson: string): string[] {
  const repeated: string[] = [];
  /**
   * The objects and lists around a token, from outside to inside. `inner`: the path of the value under way. `counts`: how
   * often each name has occurred.
   */
  const around: { path: string; inner: string; counts: Map<string, number>; index: number }[] = [];
  let text = "";
  for (const [token] of validJson.matchAll(tokens)) {
    const last = around.at(-1);
    if (token === "{" || token === "[") {
      const path = last?.inner ?? "";
      around.push({ path, inner: `${path}[0]`, counts: new Map(), index: 0 });
    } else if (token === "}" || token === "]") around.pop();
    else if (token === "," && last) last.inner = `${last.path}[${++last.index}]`;
    else if (token === ":" && last) {
      const name = JSON.parse(text) as string;
      last.inner = last.path ? `${last.path}.${name}` : name;
      const count = (last.counts.get(name) ?? 0) + 1;
      last.counts.set(name, count);
      if (count === 2 && repeated.length < maxPaths) repeated.push(last.inner);
    } else text = token;
  }
  return [...new Set(repeated)];
}
