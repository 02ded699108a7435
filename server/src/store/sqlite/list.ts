/**
 * A query for a list as one JSON text: the given columns of the rows that `which` selects, in its order.
 * `which` ends with a LIMIT (-1 for all), because without one SQLite may ignore an inner ORDER BY.
 */
export function list(columns: (row: string) => string, table: string, which: string): string {
  return `SELECT json_group_array(json_array(${columns("t")})) FROM (SELECT * FROM ${table} ${which}) t`;
}
