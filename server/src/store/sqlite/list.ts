/**
 * A query for a list as one JSON text: of the rows of a table that `which` chooses, in its order, the
 * columns of each. `which` ends in a LIMIT (-1 for all): without one SQLite may drop an inner ORDER BY.
 */
export function list(columns: (row: string) => string, table: string, which: string): string {
  return `SELECT json_group_array(json_array(${columns("t")})) FROM (SELECT * FROM ${table} ${which}) t`;
}
