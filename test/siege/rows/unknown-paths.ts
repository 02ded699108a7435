import type { Row } from "../row.js";
import {
  attackerAddresses,
  attackers,
  besiege,
  healthyBusiness,
  healthyClient,
  hold,
  promptness,
} from "../target.js";

const requestsAtOnce = 32;
const requests = "GET /v1/nothing HTTP/1.1\r\nHost: queue.example\r\n\r\n".repeat(requestsAtOnce);

export const unknownPaths: Row = {
  name: "unknown-paths",
  attack: `No key: 100 connections × ${requestsAtOnce} pipelined requests to an unknown path, again and again`,
  seconds: 30,
  async run(stage, showProgress) {
    const service = await stage.service(healthyBusiness);
    const siege = await besiege(stage, service, healthyClient(service), async () => {
      const attack = await attackers(stage, {
        origin: service.origin,
        from: attackerAddresses(1),
        groups: [
          { name: "unknown", connections: 100, first: requests, againAfterAnswers: requestsAtOnce },
        ],
        reconnect: true,
      });
      await hold(20, showProgress);
      const [report] = await attack.stop();
      showProgress(JSON.stringify({ ...report, lifetimes: report?.lifetimes.length }));
    });
    return promptness(siege, 300, "9.8 s");
  },
};
