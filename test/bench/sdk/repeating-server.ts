import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { answerQuestions } from "../worker.js";

const endOfRequest = "\r\n\r\n";

/** Gives the same answer, as it stands on the wire, to each request, none of which has a body. */
answerQuestions<{ readonly answer: string }, string>(async ({ answer }) => {
  const bytes = Buffer.from(answer);
  const server = createServer((socket) => {
    let rest = "";
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      const requests = (rest + chunk.toString("latin1")).split(endOfRequest);
      rest = requests.pop() ?? "";
      for (const _ of requests) socket.write(bytes);
    });
    socket.on("error", () => socket.destroy()); // a client that has done its part
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
