import { type Html, html } from "../lib/html.js";
import type { Business } from "../rules/records.js";

/** Formats instants in the business's time zone. */
export interface WallClock {
  /** Such as `21 Nov 2026, 10:00`, in an element with the machine-readable instant. */
  readonly moment: (at: number) => Html;
  /** The same to the second. */
  readonly second: (at: number) => Html;
  /** The time of day alone, such as `10:00`. */
  readonly time: (at: number) => string;
  /** The name of the time zone, such as `Asia/Kolkata`. */
  readonly zone: string;
}

export function wallClock({ timezone }: Business): WallClock {
  const zone = timezone ?? "UTC";
  const date = { timeZone: zone, day: "numeric", month: "short", year: "numeric" } as const;
  const minutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const toTheMinute = new Intl.DateTimeFormat("en-GB", { ...date, ...minutes });
  const toTheSecond = new Intl.DateTimeFormat("en-GB", { ...date, ...minutes, second: "2-digit" });
  const element = (format: Intl.DateTimeFormat) => (at: number) =>
    html`<time datetime="${new Date(at).toISOString()}">${format.format(at)}</time>`;
  const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...minutes });
  return {
    moment: element(toTheMinute),
    second: element(toTheSecond),
    time: (at) => timeOfDay.format(at),
    zone,
  };
}

function dayFormat(parts: Intl.DateTimeFormatOptions): (day: string) => string {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...parts });
  return (day) => format.format(Date.parse(day));
}

const short = { day: "numeric", month: "short" } as const;

/** A business day in words, such as `Sat, 21 Nov 2026`. */
export const dayInWords = dayFormat({ weekday: "short", ...short, year: "numeric" });

/** A business day in short form, such as `21 Nov`. */
export const dayInShort = dayFormat(short);

/** Whole minutes in readable form: `37 min`, `1 h 19`. */
export function inHours(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = String(minutes % 60).padStart(2, "0");
  return `${Math.floor(minutes / 60)} h ${rest}`;
}
