/** Whether a database URL names a database server, so that each operation crosses the network. */
export function isOnServer(databaseUrl: string): boolean {
  return /^mongodb(\+srv)?:/.test(databaseUrl);
}
