/**
 * A possible next event. Two steps that share no data, or only read it, lead to the same state in either order.
 */
export interface Step {
  /** The same in every schedule: `one: insert entries`. */
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether random schedules choose it seldom: a fault, or a long time. */
  readonly isRare?: boolean;
  /** Runs it. Resolves when everything is idle again. */
  readonly take: () => Promise<void>;
}

/** One run of a case. */
export interface Run {
  /** The possible next steps in a fixed order. Empty when the run is over. */
  steps(): readonly Step[];
  /** Completes all pending work and returns the faults. */
  end(): Promise<readonly string[]>;
  /** Completes all pending work without checks. */
  abandon(): Promise<void>;
}

/** Starts a new run of a case. */
export type Begin = () => Promise<Run>;

/** Whether the order of two steps matters. */
export function areDependent(a: StepFacts, b: StepFacts): boolean {
  return (
    a.writes.some((what) => b.writes.includes(what) || b.reads.includes(what)) ||
    a.reads.some((what) => b.writes.includes(what))
  );
}

export type StepFacts = Pick<Step, "name" | "reads" | "writes">;
