import { Connection } from "../load/connection.js";
import { connections } from "../load/load-spec.js";
import type { Tenant } from "../stage.js";
import { answerQuestions } from "../worker.js";
import { mixedLoad } from "./mixed-load.js";

/** The service to load, then for how long each time. */
export type SoakQuestion = { readonly service: Tenant } | { readonly milliseconds: number };

let players: ((end: number) => Promise<number>)[] = [];

/** The response is the number of requests that were sent. */
answerQuestions<SoakQuestion, number>(async (question) => {
  if ("service" in question) {
    const play = mixedLoad(question.service);
    players = Array.from({ length: connections }, () => {
      const connection = new Connection(question.service.origin, {
        key: question.service.key,
        paths: [],
      });
      return (end) => play(connection, end);
    });
    return 0;
  }
  const end = performance.now() + question.milliseconds;
  const requests = await Promise.all(players.map((play) => play(end)));
  return requests.reduce((sum, made) => sum + made, 0);
});
