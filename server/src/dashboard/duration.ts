/** Whole minutes in readable form: `37 min`, `1 h 19`. */
export function inHours(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = String(minutes % 60).padStart(2, "0");
  return `${Math.floor(minutes / 60)} h ${rest}`;
}
