import { SeededRandom } from "../lib/seeded-random.js";
import type { BusinessImport } from "../owner/import-business.js";
import { inSequence } from "../owner/seed-records.js";
import { addDays, businessDay, startOfDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { storedPhone } from "../rules/phone.js";
import type { Random } from "../rules/ports.js";
import type { Entry, Queue } from "../rules/records.js";
import { newEntry } from "../rules/token-creation.js";
import { applyTransition } from "../rules/transitions.js";
import { person } from "./demo-data.js";
import { actsOf } from "./queue-minute.js";

/** With today, these are the four weeks that the statistics page shows. */
const days = 27;

/** The seed is fixed, so that each date has the same visits whenever the demo is created. */
const seed = 2026;

/** The opening hours of the clinic, in minutes after midnight. */
const hours = [
  { from: 9 * 60, to: 13 * 60 },
  { from: 16 * 60, to: 19 * 60 },
] as const;

/** How busy the clinic is by day of the week, Sunday first: 1 is as much as it can serve. It is closed on Sundays. */
const weekdays = [0, 0.9, 0.7, 0.65, 0.7, 0.8, 0.5] as const;

/**
 * The visits of the four weeks before today, all ended, in the queues that have visits today. A fixed seed and the
 * date decide the people, their times and their statuses. The ids are random.
 */
export function demoHistory(clinic: BusinessImport, now: number, ids: Random): Entry[] {
  const today = businessDay(now, clinic.business.timezone);
  const dates = Array.from({ length: days }, (_, at) => addDays(today, at - days));
  return inSequence(
    clinic.queues.flatMap((queue) => dates.flatMap((date) => dayOf(clinic, queue, date, ids))),
  );
}

/** One day of a queue, minute by minute, until everyone has left. */
function dayOf(clinic: BusinessImport, queue: Queue, date: string, ids: Random): Entry[] {
  const random = new SeededRandom(seed).fork(`${queue.name} ${date}`);
  const [usual, ...others] = clinic.entries.filter(({ queueId }) => queueId === queue.id);
  const busy = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? 1;
  if (!usual || busy === 0) return [];
  const midnight = startOfDay(date, clinic.business.timezone);
  const ended: Entry[] = [];
  let here: Entry[] = [];
  let lastNumber = 0;

  for (let minute = hours[0].from; minute < 24 * 60; minute++) {
    const isOpen = hours.some(({ from, to }) => from <= minute && minute < to);
    if (!isOpen && here.length === 0) continue;
    const line = here.filter(({ status }) => status === "WAITING");
    const inService = here.filter(({ status }) => status === "IN_SERVICE");
    const open = isOpen && random.chance(busy);
    const now = midnight + minute * 60_000 + Math.floor(random.between(0, 60_000));
    for (const act of actsOf({ open, line, inService }, random)) {
      if (act.act === "arrive") {
        const { serviceId } = random.pick([usual, ...others]);
        const { name, phone } = person(Math.floor(random.between(0, 20)));
        const customer = { customerName: name, ...storedPhone(phone), priority: false };
        const visit = { id: newId(now, ids), queueId: queue.id, date, issuedAt: now };
        const service = clinic.services.find(({ id }) => id === serviceId) ?? null;
        const facts = { service, lastNumber, lastSequenceInDay: 0 };
        here.push(newEntry({ ...visit, ...customer, serviceId }, queue, facts));
        lastNumber += 1;
      } else {
        const before = "entry" in act ? act.entry : line[0];
        const after = before && applyTransition(before, act.act, { now });
        if (!after) continue;
        here = here.filter((visit) => visit !== before);
        (after.status === "IN_SERVICE" ? here : ended).push(after);
      }
    }
  }
  return ended;
}
