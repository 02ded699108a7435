/**
 * How far the times of steps may be out of order, in milliseconds. Of two concurrent steps, the one that
 * began first may commit last, and the clocks of the servers of a database differ slightly. A time further in
 * the future was written before the clock was set back.
 */
export const clockSlackMs = 10_000;
