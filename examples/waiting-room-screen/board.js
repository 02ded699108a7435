const shownNext = 8;

/** The board as text: who is being served, who comes next in the order in which they will be called. */
export function board(name, entries) {
  const serving = entries.filter(({ status }) => status === "IN_SERVICE");
  const waiting = entries
    .filter(({ status }) => status === "WAITING")
    .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber);
  const lines = waiting.slice(0, shownNext).map(line);
  const more = waiting.length - lines.length;
  return [
    `── ${name} ${"─".repeat(Math.max(2, 36 - name.length))}`,
    `Now serving   ${serving.map(({ token }) => token).join("  ") || "nobody"}`,
    "",
    ...(lines.length > 0 ? lines : ["Nobody is waiting."]),
    ...(more > 0 ? [`… and ${more} more`] : []),
    "",
  ].join("\n");
}

function line({ token, priority, predictedWaitMinutes }, index) {
  const wait = predictedWaitMinutes ? `about ${predictedWaitMinutes} min` : "";
  return `${String(index + 1).padStart(2)}  ${token.padEnd(8)}${(priority ? "priority" : "").padEnd(10)}${wait}`.trimEnd();
}
