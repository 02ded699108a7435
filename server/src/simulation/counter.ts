import type { AppointmentStatus } from "@queue-api/contract";
import { setAppointmentStatus } from "../owner/appointment.js";
import { findBusiness } from "../owner/business.js";
import { type ServingMove, serve } from "../owner/entry.js";
import { OwnerError } from "../owner/owner-error.js";
import { addDays, businessDay } from "../rules/business-day.js";
import type { EntryInLine } from "../rules/entry-answer.js";
import type { Business, Entry } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import type { Store } from "../store/store.js";
import type { SeenGuest } from "./stations.js";

const pageSize = 100;

/** The counter of a business: reads its queues and serves customers with the owner's actions. */
export class Counter {
  readonly #store: Store;
  readonly #business: Business;

  constructor(store: Store, business: Business) {
    this.#store = store;
    this.#business = business;
  }

  /**
   * The customers in a queue: first those in service, then the waiting ones in the order of their calls. Known
   * customers who are not in today's line are read by id, because they can be in the line of the day before.
   */
  async line(queueId: string, known: readonly string[]): Promise<readonly SeenGuest[]> {
    const today = businessDay(await this.#store.now(), this.#business.timezone);
    const [waiting, served] = await Promise.all([
      this.#entries(queueId, today, "WAITING"),
      this.#entries(queueId, today, "IN_SERVICE"),
    ]);
    const listed = [...served, ...waiting.toSorted((a, b) => ahead(a) - ahead(b))];
    const ids = new Set(listed.map(({ entry }) => entry.id));
    const missing = known.filter((id) => !ids.has(id));
    const left = await Promise.all(
      missing.map((id) => this.#store.entries.get(this.#business.id, id)),
    );
    return [...left.filter((found) => found !== null), ...listed].map(({ entry }) => seen(entry));
  }

  /** The services of a queue's customers today, or the day before if none came today. Null means no service. */
  async servicesUsed(queueId: string): Promise<ReadonlySet<string | null>> {
    const today = businessDay(await this.#store.now(), this.#business.timezone);
    for (const day of [today, addDays(today, -1)]) {
      const page = await this.#store.entries.page(this.#business.id, queueId, day, null, {
        limit: pageSize,
        after: null,
      });
      if (typeof page === "string" || page.items.length === 0) continue;
      return new Set(page.items.map(({ entry }) => entry.serviceId));
    }
    return new Set();
  }

  /** Calls, completes or marks an entry. False if another person has already changed it. */
  async serve(entryId: string, move: ServingMove): Promise<boolean> {
    const now = await this.#store.now();
    const { outcome } = await serve(this.#store, this.#business.id, entryId, move, now);
    return outcome === "moved";
  }

  /** Sets the status of an appointment. False if it no longer exists. */
  setAppointment(appointmentId: string, status: AppointmentStatus): Promise<boolean> {
    return done(setAppointmentStatus(this.#store, appointmentId, status));
  }

  /** The share of today's tokens that the plan still allows, from 0 to 1. */
  async planLeft(): Promise<number> {
    const { id, timezone, dailyTokenLimit } = await findBusiness(this.#store, this.#business.slug);
    if (dailyTokenLimit === null) return 1;
    const today = businessDay(await this.#store.now(), timezone);
    const queues = await this.#store.queues.list(id);
    const days = await Promise.all(
      queues.map((queue) => this.#store.queues.day(id, queue.id, today)),
    );
    const counts = days.flatMap((day) => (day ? Object.values(day.counts) : []));
    const issued = counts.reduce((sum, count) => sum + count, 0);
    return Math.max(0, 1 - issued / Math.max(1, dailyTokenLimit));
  }

  async #entries(
    queueId: string,
    date: string,
    status: "WAITING" | "IN_SERVICE",
  ): Promise<readonly EntryInLine[]> {
    const found: EntryInLine[] = [];
    for (let after: string | null = null; ; after = found.at(-1)?.entry.id ?? null) {
      const request = { limit: pageSize, after };
      const page = await this.#store.entries.page(
        this.#business.id,
        queueId,
        date,
        status,
        request,
      );
      if (typeof page === "string") return found;
      found.push(...page.items);
      if (!page.more) return found;
    }
  }
}

function ahead({ line }: EntryInLine): number {
  return line?.ahead.people ?? 0;
}

function seen(entry: Entry): SeenGuest {
  const { id, status, workMinutes } = entry;
  return { ref: id, token: tokenLabel(entry), status, minutes: workMinutes };
}

/** Whether the owner's action succeeded. */
async function done(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof OwnerError) return false;
    throw error;
  }
}
