import type { Window } from "../../rules/window.js";
import type { Connection } from "./connection.js";
import { windows } from "./schema.js";

/** The windows of failed sign-ins of this length, by name. */
export function prepareWindows(db: Connection, seconds: number) {
  const find = windows.find(db, "name = ?");
  const insert = windows.insert(
    db,
    `ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, count = excluded.count,
       ends_at = excluded.ends_at`,
  );

  return {
    get: (name: string): Window | null => find(name),

    keep(name: string, { startedAt, count }: Window): void {
      insert({ name, startedAt, count, endsAt: startedAt + seconds * 1000 });
    },
  };
}
