/**
 * One thing that can happen next. Two steps that touch nothing in common, or only read it, lead to the
 * same state in either order.
 */
export interface Step {
  /** The same in every schedule: `one: insert entries`. */
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether chance is to choose it seldom: a fault, or a long time that goes by. */
  readonly isRare?: boolean;
  /** Lets it happen; resolves when everything is at rest again. */
  readonly take: () => Promise<void>;
}

/** One run of a case, from its beginning to its end. */
export interface Run {
  /** What can happen next, in a fixed order; nothing when the run is over. */
  steps(): readonly Step[];
  /** Lets everything come to its end and says what is wrong then. */
  end(): Promise<readonly string[]>;
  /** Lets everything come to its end, unchecked. */
  abandon(): Promise<void>;
}

/** Begins a new run of a case. */
export type Begin = () => Promise<Run>;

/** Whether two steps may not change places. */
export function areDependent(a: StepFacts, b: StepFacts): boolean {
  return (
    a.writes.some((what) => b.writes.includes(what) || b.reads.includes(what)) ||
    a.reads.some((what) => b.writes.includes(what))
  );
}

export type StepFacts = Pick<Step, "name" | "reads" | "writes">;
