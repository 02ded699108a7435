interface Created {
  readonly createdAt: number;
  readonly id: string;
}

/** Orders records by the time of their creation, then by id. */
export function byCreation(a: Created, b: Created): number {
  return a.createdAt - b.createdAt || compareTexts(a.id, b.id);
}

/** Compares by code units, which is the order of ids and times of day in a database. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
