/** Whether a database URL names a server. Each operation of such a store crosses the network. */
export function isOnServer(databaseUrl: string): boolean {
  return /^mongodb(\+srv)?:/.test(databaseUrl);
}
