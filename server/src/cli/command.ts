import { Command, type HelpContext, type Option } from "commander";
import { readConfig } from "../config.js";
import { systemRandom } from "../lib/system.js";
import { openStore } from "../open-store.js";
import type { Store } from "../operations/store.js";
import type { Random } from "../rules/ports.js";
import type { StoreOptions } from "../store/options.js";
import { UsageError } from "./command-errors.js";
import { type Output, type Printer, print } from "./output.js";

/** Options that every command takes. */
export interface GlobalOptions {
  /** `--database`. Default: `DATABASE_URL`, else the default database. */
  readonly database?: string;
  readonly json?: true;
}

/** What a command works with. */
export interface CommandContext {
  readonly store: Store;
  /** The store's time. */
  readonly now: number;
  readonly random: Random;
}

/** The URL of a command's database: `--database`, else `DATABASE_URL`, else the default. */
export function databaseUrl({ database }: GlobalOptions): string {
  return readConfig({ DATABASE_URL: database ?? process.env.DATABASE_URL }).databaseUrl;
}

/** Opens a database, works with it, and closes it. */
export async function withStore<Result>(
  url: string,
  options: Omit<StoreOptions, "random">,
  work: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  if (url === "memory:") {
    throw new UsageError("memory: keeps no data: name a file or a MongoDB database");
  }
  const store = await openStore(url, { random: systemRandom, ...options });
  try {
    return await work({ store, now: store.now(), random: systemRandom });
  } finally {
    await store.close();
  }
}

/** A commander command that throws wrong usage as a {@link UsageError} of one line instead of printing it. */
export class QueueApiCommand extends Command {
  override createCommand(name?: string): QueueApiCommand {
    return new QueueApiCommand(name);
  }

  /** Commander reports all its errors here. */
  override error(message: string): never {
    const what = message
      .replace(/^error: /, "")
      .replaceAll(/\s+/g, " ")
      .replace(/\.$/, "");
    throw new UsageError(`${what}; see: ${this.#fullName()} --help`);
  }

  /** An option with one value is given at most once: otherwise, the first value would be lost. */
  override addOption(option: Option): this {
    if (option.mandatory) option.description += " (required)";
    super.addOption(option);
    let isGiven = false;
    if (option.variadic || option.isBoolean() || option.negate) return this;
    return this.on(`option:${option.name()}`, () => {
      if (isGiven) this.error(`option '${option.flags}' may be given only once`);
      isGiven = true;
    });
  }

  /**
   * Commander asks for help as an error when a subcommand is missing. Of the words after `help`, it reads only the
   * first one.
   */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context === "function") return super.help(context);
    const asked = [this, this.parent].find((command) => command?.args[0] === "help");
    const named = asked?.args.slice(1).reduce(subcommand, asked);
    if (named && named !== this) return named.help();
    if (context?.error) this.error("a command is missing");
    return super.help(context);
  }

  /** Adds complete commands to the help. Words in capitals are placeholders. */
  examples(...commands: readonly string[]): this {
    const calls = commands.map((command) => `  $ ${command}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${calls}`);
  }

  /** Adds what `--json` prints to the help. */
  printsJson(shape: string): this {
    return this.addHelpText("after", `\nWith --json:\n  ${shape.replaceAll("\n", "\n  ")}`);
  }

  /** Does the work with the arguments and options of the command, and prints the record that it returns. */
  shows<Item, Args extends unknown[]>(
    kind: Printer<Item>,
    work: (context: CommandContext, ...args: Args) => Promise<Item>,
  ): this {
    return this.printsJson(kind.shape).does(async (context, ...args: Args) =>
      kind.one(await work(context, ...args), context.now),
    );
  }

  /** Like {@link shows}, for a list of records. */
  lists<Item, Args extends unknown[]>(
    kind: Printer<Item>,
    work: (context: CommandContext, ...args: Args) => Promise<readonly Item[]>,
  ): this {
    return this.printsJson(`[${kind.shape}]`).does(async (context, ...args: Args) =>
      kind.list(await work(context, ...args), context.now),
    );
  }

  /** Does the work with the arguments and options of the command, and prints its output. */
  does<Args extends unknown[]>(
    work: (context: CommandContext, ...args: Args) => Promise<Output>,
  ): this {
    return this.action((...args: unknown[]) =>
      this.withDatabase((context) => work(context, ...(args.slice(0, -1) as Args))),
    );
  }

  /**
   * Opens the database, does the work, prints its output and closes the database. By default a missing database is an
   * error: a mistyped path must not create an empty database.
   */
  async withDatabase(
    work: (context: CommandContext) => Promise<Output>,
    options: Omit<StoreOptions, "random"> = { create: false },
  ): Promise<void> {
    const global = this.optsWithGlobals<GlobalOptions>();
    print(await withStore(databaseUrl(global), options, work), global.json);
  }

  #fullName(): string {
    return this.parent instanceof QueueApiCommand
      ? `${this.parent.#fullName()} ${this.name()}`
      : this.name();
  }
}

function subcommand(command: Command, name: string): Command {
  const found = command.commands.find((one) => one.name() === name);
  return found ?? command.error(`unknown command '${name}'`);
}
