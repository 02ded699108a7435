import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { repeatedFields } from "../lib/repeated-fields.js";
import { stopSignals } from "../lib/system.js";
import { importSeed, type SeedResult } from "../owner/seed.js";
import type { SeededBusiness } from "../owner/seed-records.js";
import type { GlobalOptions, QueueApiCommand } from "./command.js";
import { type Output, print, progressLine, table } from "./output.js";

/** `queue-api seed` */
export function addSeedCommand(program: QueueApiCommand): void {
  program
    .command("seed")
    .description(
      "create the businesses of a seed file, each whole or not at all; docs/seed.md, or /docs/seed of a running service, describes the file",
    )
    .argument("<file>", "the seed file, or - for standard input")
    .option("--replace", "replace a business that exists, and delete all its data", false)
    .examples("queue-api seed clinic.json", "queue-api seed - --replace < clinic.json")
    .printsJson(`{ businesses: { SLUG: { id, services: { REF: ID }, queues: { REF: ID },
  entries: { REF: ID }, appointments: { REF: ID }, keys: { REF: KEY } } } }
Only parts with a ref are listed. A key without a ref is never shown, so it cannot be used.`)
    .action(async (file: string, { replace }: { replace: boolean }, command: QueueApiCommand) => {
      const json = parseJson(await readBytes(file));
      const progress = progressLine();
      const businesses: Record<string, SeededBusiness> = {};
      const stopping = new AbortController();
      const onProgress = (written: number, total: number) =>
        progress.update(`${written} of ${total}`);
      const onBusiness = (slug: string, business: SeededBusiness) => {
        businesses[slug] = business;
      };
      /** Shows the keys of the businesses that are written when the others are not. */
      const showWritten = () => {
        progress.clear();
        const slugs = Object.keys(businesses);
        if (slugs.length === 0) return;
        const done = `Seeded ${slugs.join(", ")}, and no other business of the file.`;
        print(seeded({ businesses }, done), command.optsWithGlobals<GlobalOptions>().json);
      };
      /** The first signal lets a write under way end: it may be a business with keys to show. The second one does not. */
      const stop = () => {
        if (stopping.signal.aborted) {
          showWritten();
          process.stderr.write("queue-api: stopped by a signal\n");
          process.exit(1);
        }
        stopping.abort(new Error("stopped by a signal"));
      };
      const options = { replace, onProgress, onBusiness, signal: stopping.signal };
      await command.withDatabase(
        async ({ store, now, random }) => {
          for (const signal of stopSignals) process.on(signal, stop);
          try {
            const result = await importSeed(store, json, { now, random, ...options });
            progress.clear();
            return seeded(result);
          } catch (error) {
            showWritten();
            throw error;
          } finally {
            for (const signal of stopSignals) process.off(signal, stop);
          }
        },
        { create: true },
      );
    });
}

async function readBytes(file: string): Promise<Buffer> {
  if (file === "-") return buffer(process.stdin);
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the seed file cannot be read (${error.code}); check its path`);
  });
}

/** Parses a seed file. The error shows only a position, because Node's message quotes the file. */
function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the seed file is not UTF-8; save it as UTF-8 and try again");
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`the seed file is not JSON; correct it${errorLocation(error, text)}`);
  }
  const repeated = repeatedFields(text);
  if (repeated.length > 0) {
    throw new Error(`the seed file repeats these fields: ${repeated.join(", ")}`);
  }
  return json;
}

/** The position of the JSON error, if Node's message contains it. */
function errorLocation(error: unknown, text: string): string {
  const message = String(error);
  const position = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  const atEnd = message.endsWith("Unexpected end of JSON input");
  if (position === undefined && !atEnd) return "";
  const lines = text.slice(0, atEnd ? text.length : Number(position)).split("\n");
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function seeded(result: SeedResult, done?: string): Output {
  const businesses = Object.entries(result.businesses);
  const keys = businesses.flatMap(([slug, business]) =>
    Object.entries(business.keys).map(([ref, key]) => [slug, ref, key]),
  );
  const said = done ?? `Seeded ${businesses.map(([slug]) => slug).join(", ") || "nothing"}.`;
  const shown = table(["BUSINESS", "REF", "KEY"], keys);
  return {
    json: result,
    text:
      keys.length === 0 ? said : `${said}\n\n${shown}\n\nThis is the only time the keys are shown.`,
  };
}
