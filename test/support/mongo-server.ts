/** How long a `mongod` may take to be brought and to start. */
const patienceMs = 25_000;

/**
 * Before all tests: where `TEST_MONGODB_URL` names no MongoDB server, one that mongodb-memory-server
 * finds or brings. With neither, what needs one is skipped; it is said once, with the line to run it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_MONGODB_URL || process.env.TEST_TARGET === "mock") return undefined;
  const { MongoMemoryServer } = await import("mongodb-memory-server-core");
  const starting = MongoMemoryServer.create();
  const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
  const server = await Promise.race([starting, late]).catch(() => null); // no network, or no build for this machine
  if (server === null) {
    starting.then(
      (tooLate) => tooLate.stop(),
      () => undefined,
    );
    console.warn(
      "\nSKIPPED: the tests that need MongoDB. Run them with: TEST_MONGODB_URL=mongodb://HOST:PORT npm test\n",
    );
    return undefined;
  }
  process.env.TEST_MONGODB_URL = server.getUri();
  return async () => {
    await server.stop();
  };
}
