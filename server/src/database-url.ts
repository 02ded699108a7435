/** Whether a database URL names one on a server, so that each step of the store goes over the network. */
export function isOnServer(databaseUrl: string): boolean {
  return /^mongodb(\+srv)?:/.test(databaseUrl);
}
