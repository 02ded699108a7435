const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/gs;

/** No error lists more. Each has a path that may be as long as the text. */
const most = 20;

/**
 * Paths of the fields that occur more than once in one object of a JSON text, such as `queues[0].name`, at most 20. `JSON.parse`
 * silently keeps the last value, while another program may keep the first.
 */
export function repeatedFields(validJson: string): string[] {
  const repeated = new Set<string>();
  /** The objects and lists around a token, from outside to inside. `inner`: the path of the value under way. */
  const around: { path: string; inner: string; names: Set<string>; index: number }[] = [];
  let text = "";
  for (const [token] of validJson.matchAll(tokens)) {
    const last = around.at(-1);
    if (token === "{" || token === "[") {
      const path = last?.inner ?? "";
      around.push({ path, inner: `${path}[0]`, names: new Set(), index: 0 });
    } else if (token === "}" || token === "]") around.pop();
    else if (token === "," && last) last.inner = `${last.path}[${++last.index}]`;
    else if (token === ":" && last) {
      const name = JSON.parse(text) as string;
      last.inner = last.path ? `${last.path}.${name}` : name;
      if (last.names.has(name) && repeated.size < most) repeated.add(last.inner);
      last.names.add(name);
    } else text = token;
  }
  return [...repeated];
}
