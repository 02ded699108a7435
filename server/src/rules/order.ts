interface Created {
  readonly createdAt: number;
  readonly id: string;
}

/** Orders records by the time of their creation, then by id. */
export function byCreation(a: Created, b: Created): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
