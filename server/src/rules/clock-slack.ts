/**
 * How far the times of steps may be out of order, in milliseconds. Of two steps that come together the
 * one that was begun first may be carried out last, and the members of a database differ a little. What
 * lies further in the future than this was written before the clock was set back.
 */
export const clockSlackMs = 10_000;
