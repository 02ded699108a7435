import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { answerQuestions } from "./worker.js";

const endOfRequest = "\r\n\r\n";

/** What a server is to repeat, and after how long. */
export interface Repetition {
  readonly answer: string;
  /** What a network would take there and back. */
  readonly delayMs: number;
}

/** Gives the same answer, as it stands on the wire, to each request, none of which has a body. */
answerQuestions<Repetition, string>(async ({ answer, delayMs }) => {
  const bytes = Buffer.from(answer);
  const server = createServer((socket) => {
    let rest = "";
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      const requests = (rest + chunk.toString("latin1")).split(endOfRequest);
      rest = requests.pop() ?? "";
      const reply = () => {
        for (const _ of requests) socket.write(bytes);
      };
      if (delayMs === 0) reply();
      else setTimeout(reply, delayMs);
    });
    socket.on("error", () => socket.destroy()); // a client that has done its part
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
