import type { Row } from "../row.js";
import { besiegedByConnections, healthyBusiness, promptness } from "../target.js";

const requestsAtOnce = 32;
const requests = "GET /v1/nothing HTTP/1.1\r\nHost: queue.example\r\n\r\n".repeat(requestsAtOnce);

export const unknownPaths: Row = {
  name: "unknown-paths",
  attack: `No key: 100 connections × ${requestsAtOnce} pipelined requests to an unknown path, again and again`,
  seconds: 30,
  async run(stage, showProgress) {
    const service = await stage.service(healthyBusiness);
    const attack = {
      addresses: 1,
      seconds: 20,
      reconnect: true,
      groups: [
        {
          name: "unknown",
          connections: 100,
          first: requests,
          again: { afterAnswers: requestsAtOnce },
        },
      ],
    };
    const siege = await besiegedByConnections(stage, service, attack, showProgress);
    return promptness(siege, 300);
  },
};
