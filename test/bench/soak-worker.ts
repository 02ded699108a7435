import { randomInt } from "node:crypto";
import { Connection } from "./generator.js";
import { connections } from "./load.js";
import type { Service, Tenant } from "./stage.js";
import { answerQuestions } from "./worker.js";

/** Sends a few related requests, and returns their number. Fails if a response is wrong. */
type Scene = (connection: Connection) => Promise<number>;

type Send = (status: number, method: "GET" | "POST", path: string, more?: More) => Promise<string>;

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const unknownId = "0".repeat(24);

/**
 * Everything that callers do, errors included. Each new entry leaves the line again, so the line keeps its
 * length and the memory of the service should not grow.
 */
function mixedLoad({ key, queues, services }: Pick<Service, "key" | "queues" | "services">) {
  const front = `/v1/queues/${queues.front}`;
  const consultation = services.consultation ?? null;
  let keys = 0;

  const sender = (connection: Connection): Send => {
    return (status, method, path, { headers = {}, body } = {}) => {
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const all = { authorization: `Bearer ${key}`, ...type, ...headers };
      return connection.send({ method, path, headers: all, body: body ?? null, status });
    };
  };

  const screenPolls: Scene = async (connection) => {
    const send = sender(connection);
    await send(200, "GET", front);
    const { data, nextCursor } = JSON.parse(await send(200, "GET", `${front}/entries`));
    await send(200, "GET", `${front}/entries?status=WAITING&limit=100`);
    await send(200, "GET", `${front}/entries?cursor=${nextCursor}`);
    for (const { id } of data.slice(0, 5)) await send(200, "GET", `/v1/entries/${id}`);
    return 9;
  };

  const businessLooks: Scene = async (connection) => {
    const send = sender(connection);
    for (const path of ["me", "services", "queues", "appointments"]) {
      await send(200, "GET", `/v1/${path}`);
    }
    return 4;
  };

  const customerComesAndGoes: Scene = async (connection) => {
    const send = sender(connection);
    const headers = { "idempotency-key": `soak-${process.pid}-${++keys}` };
    const customer = { name: "Kiran Bose", phone: "+91 98000 00099", serviceId: consultation };
    const creation = { headers, body: JSON.stringify(customer) };
    const created = await send(201, "POST", `${front}/entries`, creation);
    const replayed = await send(201, "POST", `${front}/entries`, creation);
    if (replayed !== created) throw new Error("a replay is not the first answer");
    const other = { headers, body: JSON.stringify({ ...customer, name: "Another" }) };
    await send(422, "POST", `${front}/entries`, other);
    const entry = `/v1/entries/${JSON.parse(created).data.id}`;
    await send(200, "GET", entry);
    await send(200, "POST", `${entry}/cancel`);
    await send(409, "POST", `${entry}/cancel`);
    return 6;
  };

  const callerErrs: Scene = async (connection) => {
    const send = sender(connection);
    await send(404, "GET", `/v1/entries/${unknownId}`);
    await send(404, "GET", "/v1/nothing");
    await send(400, "GET", `${front}/entries?limit=0`);
    await send(400, "GET", `${front}/entries?cursor=${unknownId}`);
    await send(400, "POST", `${front}/entries`, { body: "{" });
    await send(400, "POST", `${front}/entries`, { body: '{"name":""}' });
    await send(415, "POST", `${front}/entries`, {
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    return 7;
  };

  const strangerTries: Scene = async (connection) => {
    // From a separate address, because its failed sign-ins would bar the others.
    const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
    const headers = { authorization: "Bearer nobody", "x-forwarded-for": address };
    await sender(connection)(401, "GET", front, { headers });
    return 1;
  };

  const scenes = [screenPolls, customerComesAndGoes, businessLooks, callerErrs, strangerTries];

  /** Runs scenes on a connection in random order. */
  return async (connection: Connection, end: number): Promise<number> => {
    let requests = 0;
    while (performance.now() < end) {
      const scene = scenes[randomInt(scenes.length)];
      requests += (await scene?.(connection)) ?? 0;
    }
    return requests;
  };
}

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
