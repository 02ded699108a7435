import { corrections } from "./corrections.js";
import { openApiBreaks } from "./openapi-breaks.js";

/** A difference between the published interface and the next one. */
export interface Change {
  /** The name of the package with the difference. */
  readonly package: string;
  /** A description of one line. */
  readonly what: string;
  /** What a changeset must announce for the package: a major version, any version, or nothing. */
  readonly needs: "major" | "any" | "none";
}

/** The part of a version that increases. */
export type Bump = "none" | "patch" | "minor" | "major";

/** Returns the differences that no changeset announces as required. */
export function unannounced(
  changes: readonly Change[],
  bumps: ReadonlyMap<string, Bump>,
): readonly Change[] {
  return changes.filter(({ package: name, needs }) => {
    const bump = bumps.get(name) ?? "none";
    return (needs === "major" && bump !== "major") || (needs === "any" && bump === "none");
  });
}

/** Returns how an OpenAPI document changed. A break needs a major version, a correction of the document any version. */
export function openApiChanges(name: string, before: string, after: string): Change[] {
  if (before === after) return [];
  const breaks = openApiBreaks(JSON.parse(before), JSON.parse(after));
  if (breaks.length === 0) {
    return [
      { package: name, what: "openapi.json: something was added or reworded", needs: "none" },
    ];
  }
  return breaks.map((what) => ({
    package: name,
    what,
    needs: corrections.has(what) ? "any" : "major",
  }));
}

/**
 * Returns how a report of types changed. A removed export needs a major version. A declaration that lost a
 * line can break a caller and needs a changeset, whose author chooses the version. An addition needs none.
 */
export function typeChanges(name: string, file: string, before: string, after: string): Change[] {
  const [earlier, later] = [declarationsOf(before), declarationsOf(after)];
  const kept = [...earlier].flatMap(([declared, { lines, exported }]): Change[] => {
    const now = later.get(declared);
    const change = (what: string, needs: Change["needs"]) => ({
      package: name,
      what: `${file}: ${declared} ${what}`,
      needs,
    });
    if (exported && !now?.exported) return [change("is not exported any more", "major")];
    if (!now) return [];
    if (lines.every((line) => now.lines.includes(line))) {
      return now.lines.length === lines.length ? [] : [change("has more", "none")];
    }
    return [change("differs", "any")];
  });
  const added = [...later]
    .filter(([declared, { exported }]) => exported && !earlier.get(declared)?.exported)
    .map(([declared]): Change => {
      return { package: name, what: `${file}: ${declared} is new`, needs: "none" };
    });
  return [...kept, ...added];
}

interface Declaration {
  readonly lines: readonly string[];
  readonly exported: boolean;
}

const declaring =
  /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:function|class|interface|type|const|let|enum|namespace) (\w+)/;
const listing = /^export \{ (.+) \}$/;

/** The declarations of a report by name. Overloads, and a type and value of the same name, are one declaration. */
function declarationsOf(report: string): Map<string, Declaration> {
  const declarations = new Map<string, Declaration>();
  let current: string | null = null;
  const add = (name: string, line: string, exported: boolean) => {
    const known = declarations.get(name) ?? { lines: [], exported: false };
    declarations.set(name, {
      lines: [...known.lines, line],
      exported: known.exported || exported,
    });
  };
  for (const line of report.split("\n")) {
    const [, exported, name] = declaring.exec(line) ?? [];
    const listed = listing.exec(line)?.[1];
    if (name !== undefined) current = name;
    if (listed !== undefined) for (const one of listed.split(", ")) add(one, line, true);
    else if (current && !isComment(line))
      add(current, line, name !== undefined && Boolean(exported));
  }
  return declarations;
}

/** Release tags and warnings of the extractor, empty lines and the code fence. */
function isComment(line: string): boolean {
  return line.trim() === "" || line.startsWith("//") || line.startsWith("```");
}
