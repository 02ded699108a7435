import { randomBytes } from "node:crypto";
import { expect, type OnTestFinishedHandler, test } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { connect } from "../../server/src/store/mongo/connection.js";
import {
  back,
  clinic,
  consult,
  front,
  id,
  settle,
  today,
  token,
} from "../store/support/records.js";
import { mongoDatabase } from "../support/mongo.js";
import { Wire } from "./support/wire.js";

type AtEnd = (end: OnTestFinishedHandler) => void;

/** Two instances on one database with the clinic. The first one reaches it through a `Wire`. */
async function twoInstances(atEnd: AtEnd) {
  const database = mongoDatabase();
  atEnd(database.remove);
  const second = await openStore(database.url, { random: randomBytes });
  atEnd(() => second.close());
  await settle(second);
  const wire = await Wire.to(database.url);
  atEnd(() => wire.close());
  const first = await openStore(wire.url, { random: randomBytes });
  atEnd(() => first.close());
  return { first, second, wire };
}

test("160 people are moved to one queue at once, by two instances, and each gets a number", async ({
  onTestFinished,
}) => {
  const { first, second } = await twoInstances(onTestFinished);
  const people = Array.from({ length: 160 }, (_, n) => `person${n}`);
  await Promise.all(people.map((name) => first.entries.issue(clinic.id, token(name))));
  const outcomes = await Promise.all(
    people.map((name, n) =>
      (n % 2 === 0 ? first : second).entries.transfer(clinic.id, id(name), back.id),
    ),
  );
  const numbers = outcomes.map((one) => (one.outcome === "moved" ? one.entry.tokenNumber : one));
  expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(people.map((_, n) => n + 1));
});

test("a service that is removed before its first token is created is unknown to the creation", async ({
  onTestFinished,
}) => {
  const { first, second, wire } = await twoInstances(onTestFinished);
  const held = wire.holdNext("update"); // which notes that the queue and the service are used
  const issuing = first.entries.issue(clinic.id, token("one", { serviceId: consult.id }));
  await held.reached;
  expect(await second.services.remove(clinic.id, consult.id)).toBe("removed");
  held.release();
  expect(await issuing).toEqual({ outcome: "service_unknown" });
});

test("a service is in use from the moment on in which its first token is written", async ({
  onTestFinished,
}) => {
  const { first, second, wire } = await twoInstances(onTestFinished);
  const held = wire.holdNext("insert");
  const issuing = first.entries.issue(clinic.id, token("one", { serviceId: consult.id }));
  await held.reached;
  expect(await second.services.remove(clinic.id, consult.id)).toBe("in_use");
  expect(await second.queues.remove(clinic.id, front.id)).toBe("in_use");
  held.release();
  expect(await issuing).toMatchObject({ outcome: "issued" });
  expect(await second.queues.day(clinic.id, front.id, today)).toMatchObject({
    counts: { WAITING: 1 },
  });
});

test("a store that is closed while it connects again stays closed", async ({ onTestFinished }) => {
  const database = mongoDatabase();
  onTestFinished(database.remove);
  const db = await connect(database.url);
  db.reconnect();
  await db.close();
  await expect(db.serverTime()).rejects.toThrow();
  expect(db.models.businesses.db.readyState).toBe(0);
});
