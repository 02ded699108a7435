import { randomBytes as random } from "node:crypto";
import { readFileSync } from "node:fs";
import { importSeed, openStore, type SeedInput } from "@queue-api/server";
import { describe, expect, it, test } from "vitest";
import type { z } from "zod";
import { seedFile } from "../../server/src/owner/seed-schema.ts";
import { morning } from "../support/clock.js";

const page = readFileSync(new URL("../../docs/seed.md", import.meta.url), "utf8");
const [, written = ""] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
const example: SeedInput = JSON.parse(written);

/** A schema, as far as the test reads it. */
interface Schema extends Pick<z.ZodType, "def" | "safeParse"> {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly options?: readonly unknown[];
  unwrap?(): Schema;
}

/** The schema inside lists, optional values and nullable values. */
function within(schema: Schema): Schema {
  const inner = schema.element ?? schema.unwrap?.();
  return inner ? within(inner) : schema;
}

/** An object of the file: its section on the page, and its fields. */
interface Part {
  readonly section: string;
  readonly fields: Readonly<Record<string, Schema>>;
}

const sections: Readonly<Record<string, string>> = {
  businesses: "A business",
  services: "A service",
  queues: "A queue",
  entries: "An entry",
  appointments: "An appointment",
  customer: "A customer of an appointment",
  keys: "A key",
};

/** Every object of the schema, starting with the whole file. */
function partsOf(schema: Schema, section: string): Part[] {
  const fields = within(schema).shape;
  if (!fields) return [];
  const inner = Object.entries(fields).flatMap(([name, field]) =>
    partsOf(field, sections[name] ?? name),
  );
  return [{ section, fields }, ...inner];
}

const parts = partsOf(seedFile as unknown as Schema, "The file");
const everyField = parts.flatMap(({ section, fields }) =>
  Object.entries(fields).map(([name, schema]) => ({ section, name, schema })),
);

/** The table of a section: the cells of each field. */
function rowsOf(section: string): Map<string, readonly string[]> {
  const text = page.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = [...text.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  return new Map(rows.map(([, name = "", cells = ""]) => [name, cells.split(" | ")]));
}

describe("the page of the seed file", () => {
  it.each(parts)("documents exactly the fields of the schema: $section", (part) => {
    expect([...rowsOf(part.section).keys()].toSorted()).toEqual(
      Object.keys(part.fields).toSorted(),
    );
  });

  it.each(everyField)("documents $name: $section", ({ section, name, schema }) => {
    const [, unset = "", values = ""] = rowsOf(section).get(name) ?? [];
    const left = schema.safeParse(undefined);
    if (!left.success) expect(unset).toBe("required");
    else if (left.data === undefined) expect(unset).toBe("none");
    else expect(JSON.parse(unset.replaceAll("`", ""))).toEqual(left.data);

    const { options = [], def } = within(schema);
    for (const word of options) expect(values).toContain(`\`${word}\``);
    if (def.type === "boolean") expect(values).toBe("`true`, `false`");
    if (def.type === "number") {
      const [, least, most] = /(\d+) to (\d+)/.exec(values.replaceAll(",", "")) ?? [];
      const isValid = [Number(least) - 1, Number(least), Number(most), Number(most) + 1].map(
        (value) => schema.safeParse(value).success,
      );
      expect(isValid).toEqual([false, true, true, false]);
    }
    expect(/or `null`$/.test(values)).toBe(schema.safeParse(null).success);
  });
});

describe("the example of the page", () => {
  it("has every field", () => {
    const names = [...written.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(everyField.map(({ name }) => name)));
  });

  test("creates the data that the page describes", async () => {
    const store = await openStore("memory:", { clock: () => morning, random });
    const { businesses } = await importSeed(store, example, { now: morning, random });
    const seeded = businesses.sunrise;
    if (!seeded) throw new Error("The seed printed no business.");
    const first = { limit: 9, after: null };
    const { id, queues } = seeded;
    const waiting = await store.entries.page(id, queues.front ?? "", "2026-11-21", first);
    if (typeof waiting === "string") throw new Error(waiting);
    const names = waiting.items.map(({ entry }) => entry.customerName);
    expect(names).toEqual(["Customer 2", "Customer 3", "Customer 4"]);
    expect(Object.keys(seeded.keys)).toEqual(["kiosk", "booking"]);
  });
});
