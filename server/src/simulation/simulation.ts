import type { AppointmentStatus } from "@queue-api/contract";
import { SeededRandom } from "../lib/seeded-random.js";
import type { Store } from "../operations/store.js";
import { findBusiness } from "../owner/business.js";
import { OwnerError } from "../owner/owner-error.js";
import { businessDay } from "../rules/business-day.js";
import { storedPhone } from "../rules/phone.js";
import type { Clock, Random } from "../rules/ports.js";
import type { Business, Entry, Queue } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import { tokenRequest } from "../rules/token-creation.js";
import { StoreUnavailableError } from "../store/errors.js";
import { person } from "./demo-data.js";
import { type Act, actsOf } from "./queue-minute.js";

/** The options of {@link simulate}. */
export interface SimulationOptions {
  readonly store: Store;
  /** Slug of the business, which must be a sandbox. */
  readonly business: string;
  /** The same seed gives the same events, if the business is in the same state at the start. */
  readonly seed: number;
  /** How many times faster than real time; 1 is real time. */
  readonly speed: number;
  /** Milliseconds elapsed, by a monotonic clock: the machine's clock may be set back. */
  readonly elapsed: Clock;
  /** Waits, and resolves early when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: Random;
  readonly onEvent: (event: SimulationEvent) => void;
  /** Called with one line when the database cannot be reached. */
  readonly onOutage: (line: string) => void;
  /** Ends the simulation. */
  readonly signal: AbortSignal;
}

const queueEvents = {
  arrive: "arrived",
  call: "called",
  complete: "completed",
  cancel: "gave-up",
  "no-show": "no-show",
} as const;

/** An event of a simulation. `day` and `time` are the simulation's: it begins at 09:00, and a day has 12 hours. */
export type SimulationEvent = { readonly day: number; readonly time: string } & (
  | {
      readonly event: (typeof queueEvents)[Act["act"]];
      /** Name of the queue. */
      readonly queue: string;
      readonly entryId: string;
      readonly token: string;
      /** The number of people who wait. */
      readonly waiting: number;
    }
  | { readonly event: "turned-away"; readonly queue: string; readonly reason: string }
  | {
      readonly event: "appointment";
      readonly appointmentId: string;
      readonly slotTime: string;
      readonly status: AppointmentStatus;
    }
);

const minutesOfDay = 12 * 60;
const retryAfterMs = 1_000;

/**
 * Simulates the customers and the staff of a sandbox, including the people that it did not add, until the signal is
 * aborted. It acts as the owner does: through the store, with neither a key nor the API. Whoever is in the queues at
 * the end stays there.
 *
 * @returns The number of simulated minutes.
 * @throws OwnerError There is no such business, or it is no longer a sandbox.
 */
export async function simulate(options: SimulationOptions): Promise<number> {
  const { store, speed, elapsed, sleep, signal, onOutage } = options;
  const minuteMs = 60_000 / speed;
  let minute = 0;
  let reachable = true;
  while (!signal.aborted) {
    const began = elapsed();
    try {
      await new Minute(options, await findSandbox(store, options.business), minute).run();
      reachable = true;
      minute += 1;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (reachable) onOutage("the database cannot be reached; retrying");
      reachable = false;
      await sleep(retryAfterMs, signal);
    }
    await sleep(Math.max(0, began + minuteMs - elapsed()), signal);
  }
  return minute;
}

/** Everyone in the queues is called and served, so no real customers may be there. */
async function findSandbox(store: Store, slug: string): Promise<Business> {
  const business = await findBusiness(store, slug);
  if (!business.sandbox) throw new OwnerError({ code: "not_a_sandbox", slug });
  return business;
}

/** One minute of a simulation. It remembers nothing of the minutes before: the state is in the store. */
class Minute {
  readonly #options: SimulationOptions;
  readonly #business: Business;
  readonly #minute: number;
  readonly #random: SeededRandom;

  constructor(options: SimulationOptions, business: Business, minute: number) {
    this.#options = options;
    this.#business = business;
    this.#minute = minute;
    this.#random = new SeededRandom(options.seed).fork(`minute ${minute}`);
  }

  /** Carries out what happens, one queue after another, spread over the minute. */
  async run(): Promise<void> {
    const { store, speed, sleep, signal } = this.#options;
    const queues = await store.queues.list(this.#business.id);
    for (const queue of queues) {
      await this.#queue(queue);
      if (signal.aborted) return;
      await sleep(60_000 / speed / (queues.length + 1), signal);
    }
    await this.#appointments();
  }

  async #queue(queue: Queue): Promise<void> {
    const { store } = this.#options;
    const { id: businessId, timezone } = this.#business;
    const today = businessDay(store.now(), timezone);
    const entries = async (status: "WAITING" | "IN_SERVICE") => {
      const asked = { limit: 100, after: null, status };
      const read = await store.entries.page(businessId, queue.id, today, asked);
      return typeof read === "string" ? [] : read.items.map(({ entry }) => entry);
    };
    const day = await store.queues.day(businessId, queue.id, today);
    const [line, inService] = await Promise.all([entries("WAITING"), entries("IN_SERVICE")]);
    let waiting = day?.counts.WAITING ?? 0;
    const open = queue.isActive && !queue.isTokenCreationPaused;
    const random = this.#random.fork(queue.name);
    for (const act of actsOf({ open, line, inService }, random)) {
      if (act.act === "arrive") await this.#arrive(queue, [...inService, ...line], waiting, random);
      else {
        const entry = await this.#serve(queue, today, act);
        if (!entry) continue; // someone else was quicker
        if (act.act !== "complete") waiting -= 1;
        this.#report({ event: queueEvents[act.act], ...facts(queue, entry, waiting) });
      }
    }
  }

  async #serve(
    queue: Queue,
    today: string,
    act: Exclude<Act, { act: "arrive" }>,
  ): Promise<Entry | null> {
    const { store } = this.#options;
    const now = store.now();
    if (!("entry" in act)) return store.entries.callNext(this.#business.id, queue.id, today, now);
    const { id } = act.entry;
    const result = await store.entries.transition(this.#business.id, id, act.act, now);
    return result.outcome === "changed" ? result.entry : null;
  }

  async #arrive(
    queue: Queue,
    here: readonly Entry[],
    waiting: number,
    random: SeededRandom,
  ): Promise<void> {
    const { store } = this.#options;
    const names = new Set(here.map(({ customerName }) => customerName));
    let at = Math.floor(random.between(0, 20));
    while (names.has(person(at).name) && at < 40) at += 1;
    const { name, phone } = person(at);
    const customer = {
      queueId: queue.id,
      customerName: name,
      ...storedPhone(phone),
      priority: random.chance(0.05),
      serviceId: await this.#serviceFor(here, random),
    };
    const context = { now: store.now(), random: this.#options.random };
    const created = await store.entries.create(this.#business.id, {
      ...tokenRequest(this.#business, customer, context),
      keyed: null,
    });
    if (created.outcome !== "created") {
      this.#report({ event: "turned-away", queue: queue.name, reason: created.outcome });
      return;
    }
    this.#report({ event: "arrived", ...facts(queue, created.receipt.entry, waiting + 1) });
  }

  /** A service that someone in the queue has, so that nobody asks the front desk for a vaccination; else any or none. */
  async #serviceFor(here: readonly Entry[], random: SeededRandom): Promise<string | null> {
    const active = (await this.#options.store.services.list(this.#business.id))
      .filter((service) => service.active)
      .map(({ id }) => id);
    const wanted = here
      .map(({ serviceId }) => serviceId)
      .filter((id) => id === null || active.includes(id));
    const [first = null, ...others] = wanted.length > 0 ? wanted : [null, ...active];
    return random.pick([first, ...others]);
  }

  /** About every half an hour, an appointment of today without a token gets its next status. */
  async #appointments(): Promise<void> {
    if (!this.#random.chance(1 / 30)) return;
    const { store } = this.#options;
    const today = businessDay(store.now(), this.#business.timezone);
    const page = await store.appointments.page(this.#business.id, today, {
      limit: 100,
      after: null,
    });
    if (typeof page === "string") return;
    const open = page.items.flatMap(({ appointment, entry }) =>
      entry === null && appointment.status in nextStatuses ? appointment : [],
    );
    const appointment = open[Math.floor(this.#random.between(0, Math.min(3, open.length)))];
    if (!appointment) return;
    const { id: appointmentId, slotTime } = appointment;
    const status = this.#random.pick(nextStatuses[appointment.status as keyof typeof nextStatuses]);
    const changed = await store.appointments.change(this.#business.id, appointmentId, { status });
    if (changed.outcome !== "changed") return; // someone else was quicker
    this.#report({ event: "appointment", appointmentId, slotTime, status });
  }

  #report(event: WithoutTime<SimulationEvent>): void {
    const minutes = 9 * 60 + (this.#minute % minutesOfDay);
    const two = (count: number) => String(count).padStart(2, "0");
    this.#options.onEvent({
      day: 1 + Math.floor(this.#minute / minutesOfDay),
      time: `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`,
      ...event,
    });
  }
}

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "day" | "time"> : never;

/** The next statuses of an appointment, each as often as it is listed. */
const nextStatuses = {
  CONFIRMED: ["CHECKED_IN", "CHECKED_IN", "CHECKED_IN", "CHECKED_IN", "NO_SHOW", "CANCELLED"],
  CHECKED_IN: ["IN_SERVICE"],
  IN_SERVICE: ["COMPLETED"],
} as const;

function facts(queue: Queue, entry: Entry, waiting: number) {
  return { queue: queue.name, entryId: entry.id, token: tokenLabel(entry), waiting };
}
