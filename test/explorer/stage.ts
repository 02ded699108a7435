import type { Entry, EntryWithPosition, QueueSummary } from "@queue-api/contract";
import { morning } from "../support/clock.js";
import type { Act, Case } from "./case.js";
import type { Held, Instance, Scene } from "./scene.js";
import type { Answer } from "./service-at-hand.js";
import type { Run, Step } from "./step.js";

/** Longer than the 30 seconds of a lease, and longer than the time after which a silent instance counts as dead. */
const pastLeaseSeconds = 31;
const daySeconds = 86_400;

/** A step that reads the clock depends on the step that moves it. */
const clock = "clock";
/** The number of faults is limited, so one fault can prevent another. */
const fault = "fault";

interface Attempt {
  readonly act: Act;
  /** `idle` when there was no request to send, or no instance to receive it. */
  state: "open" | "answered" | "unknown" | "idle";
  answer: Answer | null;
}

interface Orphan {
  readonly name: string;
  readonly held: Held;
}

const waitingNames = ["first", "second", "third"];

/** Runs cases, each run on its own business day, so that runs are independent. */
export class Stage {
  readonly #scene: Scene;
  #day = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async begin(put: Case): Promise<Run> {
    const scene = this.#scene;
    scene.clock.set(morning + ++this.#day * daySeconds * 1000);
    await scene.begin();
    const run = new StagedRun(scene, put, this.#day);
    await run.begin();
    return run;
  }
}

class StagedRun implements Run {
  readonly #scene: Scene;
  readonly #case: Case;
  readonly #day: number;
  readonly #attempts = new Map<string, Attempt>();
  /** The initial entries, by their names in acts. */
  readonly #waiting = new Map<string, string>();
  readonly #dead = new Set<Instance>();
  /** Commands that failed for their sender and can still arrive. */
  readonly #orphans: Orphan[] = [];
  readonly #arrived = new Set<Held>();
  #paused = false;
  #faults = 0;
  #ticks = 0;

  constructor(scene: Scene, put: Case, day: number) {
    this.#scene = scene;
    this.#case = put;
    this.#day = day;
  }

  async begin(): Promise<void> {
    const { observer, queueId } = this.#scene;
    for (const name of waitingNames.slice(0, this.#case.waiting ?? 0)) {
      const answer = await observer.post(`/v1/queues/${queueId}/entries`, person(name));
      this.#waiting.set(name, dataOf<Entry>(answer).id);
    }
    await this.#scene.settle();
    for (const act of this.#case.acts) {
      if (!act.after && "at" in act) await this.#start(act);
    }
  }

  steps(): readonly Step[] {
    if (this.#isOver()) return [];
    return [
      ...this.#alive().flatMap((instance) =>
        instance.held.flatMap((held) => this.#ofHeld(instance, held)),
      ),
      ...this.#ofActs(),
      ...this.#ofLateOnes(),
      ...this.#ofDeath(),
      ...this.#ofTime(),
    ];
  }

  /** After all acts have ended, a held command cannot change a result. */
  #isOver(): boolean {
    return this.#case.acts.every((act) => this.#isActOver(act.name));
  }

  #isActOver(name: string): boolean {
    const state = this.#attempts.get(name)?.state;
    return state !== undefined && state !== "open";
  }

  #alive(): Instance[] {
    return this.#scene.instances.filter((instance) => !this.#dead.has(instance));
  }

  #ofHeld(instance: Instance, held: Held): Step[] {
    const name = `${instance.name}: ${held.name}`;
    const reads = [...held.reads, clock];
    const pass: Step = {
      name,
      reads,
      writes: [...held.writes, instance.name],
      take: () => this.#take(() => held.pass()),
    };
    if (!held.canFail || this.#faults >= this.#case.faults) return [pass];
    const lose: Step = {
      name: `${name} (answer lost)`,
      reads,
      writes: [...held.writes, instance.name, fault],
      isRare: true,
      take: () => this.#takeFault(() => held.lose()),
    };
    if (held.writes.length === 0) return [pass, lose];
    const failed: Step = {
      name: `${name} (${held.arrive ? "late" : "fails"})`,
      reads: [clock],
      writes: [instance.name, fault],
      take: () =>
        this.#takeFault(async () => {
          if (held.arrive) this.#orphans.push({ name, held });
          await held.fail();
        }),
    };
    return [pass, lose, failed];
  }

  #ofActs(): Step[] {
    return this.#case.acts
      .filter(
        ({ name, after = [] }) =>
          !this.#attempts.has(name) && after.every((other) => this.#isActOver(other)),
      )
      .map((act) => ({
        name: `${act.name} begins`,
        reads: [],
        writes: [clock],
        take: () => this.#take(() => this.#start(act)),
      }));
  }

  #ofLateOnes(): Step[] {
    const late = [...this.#orphans];
    for (const instance of this.#dead) {
      for (const held of instance.held) {
        if (held.writes.length > 0 && held.arrive)
          late.push({ name: `${instance.name}: ${held.name}`, held });
      }
    }
    return late
      .filter(({ held }) => !this.#arrived.has(held))
      .map(({ name, held }) => ({
        name: `${name} arrives`,
        reads: [...held.reads, clock],
        writes: held.writes,
        isRare: true,
        take: () => this.#take(() => this.#arrive(held)),
      }));
  }

  async #arrive(held: Held): Promise<void> {
    this.#arrived.add(held);
    await held.arrive?.();
  }

  #ofDeath(): Step[] {
    if (this.#faults >= this.#case.faults) return [];
    return this.#alive()
      .filter(({ held }) => held.length > 0)
      .map((instance) => ({
        name: `${instance.name} dies`,
        reads: [],
        writes: [instance.name, fault],
        isRare: true,
        take: () => this.#takeFault(async () => this.#die(instance)),
      }));
  }

  #die(instance: Instance): void {
    this.#dead.add(instance);
    for (const attempt of this.#attempts.values()) {
      if (attempt.state === "open" && this.#instanceOf(attempt.act) === instance) {
        attempt.state = "unknown";
      }
    }
  }

  #ofTime(): Step[] {
    if (this.#ticks >= this.#case.ticks) return [];
    return [
      {
        name: "leases run out",
        reads: [],
        writes: [clock],
        isRare: true,
        take: () =>
          this.#take(async () => {
            this.#ticks++;
            this.#scene.advance(pastLeaseSeconds);
          }),
      },
    ];
  }

  async #takeFault(happen: () => Promise<void>): Promise<void> {
    this.#faults++;
    await this.#take(happen);
  }

  async #take(happen: () => Promise<void>): Promise<void> {
    await happen();
    await this.#rest();
  }

  #rest(): Promise<void> {
    return this.#scene.rest(
      (instance) =>
        this.#dead.has(instance) ||
        instance.held.length > 0 ||
        ![...this.#attempts.values()].some(
          ({ act, state }) => state === "open" && this.#instanceOf(act) === instance,
        ),
    );
  }

  #instanceOf(act: Act): Instance | null {
    if (!("at" in act)) return null;
    return this.#scene.instances[act.at] ?? null;
  }

  async #start(act: Act): Promise<void> {
    const attempt: Attempt = { act, state: "open", answer: null };
    this.#attempts.set(act.name, attempt);
    const { owner, queueId } = this.#scene;
    if (act.does === "pause" || act.does === "resume") {
      await owner.setQueue(queueId, act.does);
      this.#paused = act.does === "pause";
      attempt.state = "answered";
      return;
    }
    if (act.does === "call") {
      await owner.next(queueId).catch(() => "nobody waits");
      attempt.state = "answered";
      return;
    }
    if (act.does === "undo") {
      const id = this.#idOf(act.of);
      if (id !== null) await owner.serve(id, "undo").catch(() => "it waits");
      attempt.state = "answered";
      return;
    }
    const instance = this.#instanceOf(act);
    const sent = instance && !this.#dead.has(instance) ? this.#send(act, instance) : null;
    if (!sent) {
      attempt.state = "idle";
      return;
    }
    void sent.then(
      (answer) => {
        attempt.answer = answer;
        if (attempt.state === "open") attempt.state = "answered";
      },
      () => {
        if (attempt.state === "open") attempt.state = "unknown";
      },
    );
    await this.#rest();
  }

  /** Null without a request to send, for example if the entry to cancel was not created. */
  #send(act: Act, { service, desk }: Instance): Promise<Answer> | null {
    if (act.does === "create") {
      return service.post(this.#entries(), person(act.key), this.#keyOf(act.key));
    }
    if (!("of" in act)) return null;
    const id = this.#idOf(act.of);
    if (id === null) return null;
    if (act.does === "transfer") return desk.transfer(id, this.#scene.otherQueueId);
    if (act.does === "return") return desk.undo(id);
    return act.does === "cancel"
      ? service.post(`/v1/entries/${id}/cancel`)
      : service.get(`/v1/entries/${id}`);
  }

  #idOf(name: string): string | null {
    const answer = this.#attempts.get(name)?.answer;
    const created = answer?.status === 201 ? dataOf<Entry>(answer).id : null;
    return this.#waiting.get(name) ?? created;
  }

  #entries(): string {
    return `/v1/queues/${this.#scene.queueId}/entries`;
  }

  /** Idempotency keys outlive the day, so each run has its own. */
  #keyOf(key: string): string {
    return `explored-${key}-${this.#day}`;
  }

  async abandon(): Promise<void> {
    await this.#letEverythingPass();
    for (const { held } of this.#orphans) if (!this.#arrived.has(held)) await this.#arrive(held);
    await this.#resumeDeadInstances();
    if (this.#paused) await this.#scene.owner.setQueue(this.#scene.queueId, "resume");
  }

  async end(): Promise<readonly string[]> {
    const { owner, queueId } = this.#scene;
    await this.#letEverythingPass();
    const wrong = this.#wrongAnswers();
    if (this.#paused) await owner.setQueue(queueId, "resume");
    this.#paused = false;
    this.#scene.advance(pastLeaseSeconds);
    if (this.#orphans.length > 0) {
      wrong.push(...(await this.#wrongEntries({ mayRefuse: true })));
      for (const { held } of this.#orphans) if (!this.#arrived.has(held)) await this.#arrive(held);
    }
    this.#scene.advance(latestSeconds);
    wrong.push(...(await this.#wrongState()));
    if (this.#dead.size === 0) return wrong;
    await this.#resumeDeadInstances();
    this.#scene.advance(latestSeconds);
    const awake = await this.#wrongState();
    return [...wrong, ...awake.map((fault) => `when the dead are awake: ${fault}`)];
  }

  /** The faults in the database. Reading it causes a recount of each doubtful line. */
  async #wrongState(): Promise<string[]> {
    const wrong = await this.#wrongEntries();
    return [...wrong, ...(await this.#wrongCounts()), ...(await this.#wrongPlaces())];
  }

  /** The faults of transfers: a transferred customer must be in exactly one line, unless the entry was canceled. */
  async #wrongPlaces(): Promise<string[]> {
    const { acts } = this.#case;
    const moved = acts.flatMap((act) => (act.does === "transfer" ? [act.of] : []));
    if (moved.length === 0) return [];
    const { observer, queueId, otherQueueId } = this.#scene;
    const lists = [queueId, otherQueueId].map(async (id) =>
      dataOf<Entry[]>(await observer.get(`/v1/queues/${id}/entries?limit=100`)),
    );
    const entries = (await Promise.all(lists)).flat();
    return [...new Set(moved)].flatMap((name) => {
      const places = entries.filter(
        ({ customer, status }) => customer.name === name && status !== "CANCELED",
      );
      return places.length === 1 ? [] : [`${name} stands in ${places.length} lines`];
    });
  }

  async #letEverythingPass(): Promise<void> {
    for (;;) {
      const held = this.#alive().flatMap((instance) => instance.held)[0];
      if (!held) return;
      await this.#take(() => held.pass());
    }
  }

  /** Instances that counted as dead continue, like a machine that was asleep. */
  async #resumeDeadInstances(): Promise<void> {
    const dead = [...this.#dead];
    this.#dead.clear();
    for (const attempt of this.#attempts.values()) {
      const instance = this.#instanceOf(attempt.act);
      if (attempt.state === "unknown" && instance && dead.includes(instance))
        attempt.state = "open";
    }
    for (const held of dead.flatMap((instance) => [...instance.held]))
      await this.#take(() => held.wake());
    await this.#letEverythingPass();
  }

  /** The results that are never allowed. */
  #wrongAnswers(): string[] {
    const wrong: string[] = [];
    const undisturbed = this.#faults === 0 && this.#ticks === 0;
    for (const { act, state, answer } of this.#attempts.values()) {
      if (state === "open") wrong.push(`${act.name} is never answered`);
      if (undisturbed && answer && answer.status >= 500) {
        wrong.push(`${act.name} is answered ${answer.status} though nothing failed`);
      }
      if (act.does === "read" && answer?.status === 404) {
        wrong.push(`${act.of} was acknowledged and is not found`);
      }
      if (act.does === "read" && answer?.status === 200) {
        const { status } = dataOf<Entry>(answer);
        if (status !== "CANCELED" && this.#wasCanceledBefore(act)) {
          wrong.push(`${act.name} finds ${act.of} ${status} after it was canceled`);
        }
      }
    }
    return wrong;
  }

  /** Whether an act started after a client received the cancellation of the entry that it reads. No act undoes it. */
  #wasCanceledBefore({ of, after = [] }: Act & { readonly does: "read" }): boolean {
    const { acts } = this.#case;
    if (acts.some((other) => other.does === "undo" && other.of === of)) return false;
    return acts
      .filter((other) => other.does === "cancel" && other.of === of && after.includes(other.name))
      .some(({ name }) => this.#attempts.get(name)?.answer?.status === 200);
  }

  /** The faults of the stored entries after all clients have retried. */
  async #wrongEntries({ mayRefuse = false } = {}): Promise<string[]> {
    const wrong: string[] = [];
    const { dailyTokenLimit = null } = this.#case;
    // A late command cannot be counted before it arrives.
    const limit = dailyTokenLimit === null ? null : dailyTokenLimit + this.#arrived.size;
    const keys = [
      ...new Set(this.#case.acts.flatMap((act) => (act.does === "create" ? [act.key] : []))),
    ];
    const acknowledged = new Map<string, Set<string>>();
    const refused = new Map<string, number>();
    for (const key of keys) {
      const again = await this.#scene.observer.post(this.#entries(), person(key), this.#keyOf(key));
      const texts = new Set(again.status === 201 ? [again.text] : []);
      for (const { act, answer } of this.#attempts.values()) {
        if (act.does === "create" && act.key === key && answer?.status === 201)
          texts.add(answer.text);
      }
      acknowledged.set(key, texts);
      if (texts.size > 1) wrong.push(`${key} has ${texts.size} answers`);
      if (again.status !== 201) refused.set(key, again.status);
    }

    const entries = await this.#list();
    for (const [key, status] of refused) {
      const isThere = entries.some(({ customer }) => customer.name === key);
      const isFull = dailyTokenLimit !== null && (mayRefuse || entries.length >= dailyTokenLimit);
      if (isThere || !isFull) wrong.push(`${key} sent again is ${status}`);
    }
    for (const [key, texts] of acknowledged) {
      for (const text of texts) {
        const { id } = (JSON.parse(text) as { data: Entry }).data;
        if (!entries.some((entry) => entry.id === id))
          wrong.push(`${key} was acknowledged and is lost`);
      }
    }
    for (const name of repeated(entries.map(({ customer }) => customer.name))) {
      wrong.push(`${name} has more than one entry`);
    }
    for (const number of repeated(entries.map(({ tokenNumber }) => tokenNumber))) {
      wrong.push(`the number ${number} was given twice`);
    }
    if (limit !== null && entries.length > limit)
      wrong.push(`${entries.length} entries, limit ${limit}`);
    return wrong;
  }

  /** The faults of the stored counts against the existing entries. */
  async #wrongCounts(): Promise<string[]> {
    const { observer, queueId, otherQueueId } = this.#scene;
    await observer.get(`/v1/queues/${otherQueueId}`);
    const entries = await this.#list();
    const { counts } = dataOf<QueueSummary>(await observer.get(`/v1/queues/${queueId}`));
    const has = (status: Entry["status"]) =>
      entries.filter((entry) => entry.status === status).length;
    const recount = {
      waiting: has("WAITING"),
      inService: has("IN_SERVICE"),
      completed: has("COMPLETED"),
      canceled: has("CANCELED"),
      noShow: has("NO_SHOW"),
    };
    const wrong = await this.#scene.wrongCounts();
    if (JSON.stringify(counts) !== JSON.stringify(recount)) {
      wrong.push(`counts are ${JSON.stringify(counts)}, a recount is ${JSON.stringify(recount)}`);
    }
    const last = entries.filter(({ status }) => status === "WAITING").at(-1);
    if (last) {
      const { position } = dataOf<EntryWithPosition>(await observer.get(`/v1/entries/${last.id}`));
      if (position !== recount.waiting) {
        wrong.push(`the last of ${recount.waiting} is told position ${position}`);
      }
    }
    return wrong;
  }

  async #list(): Promise<Entry[]> {
    return dataOf<Entry[]>(await this.#scene.observer.get(`${this.#entries()}?limit=100`));
  }
}

/** The time after which every command has arrived and was counted. */
const latestSeconds = 121;

function person(name: string) {
  return { name, phone: "919800000001" };
}

function dataOf<Data>({ status, text }: Answer): Data {
  if (status >= 300) throw new Error(`answered ${status}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

function repeated<Value>(values: readonly Value[]): Set<Value> {
  return new Set(values.filter((value, at) => values.indexOf(value) !== at));
}
