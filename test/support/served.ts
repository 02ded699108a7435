import { createServer, type RequestListener } from "node:http";
import { atEnd } from "./at-end.js";
import { listen } from "./listen.js";

/** The URL of a server of a test, which answers with this listener. It ends with the test or the file. */
export function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
}
