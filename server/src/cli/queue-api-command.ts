import { Command, type HelpContext } from "commander";
import { UsageError } from "./errors.js";
import type { Output } from "./output.js";
import { type CommandContext, runOwner } from "./owner-command.js";

/** The parts of `--help` after arguments and options. */
export interface Manual {
  /** Complete commands. Words in capitals are placeholders. */
  readonly examples: readonly string[];
  /** What `--json` prints. */
  readonly json?: string;
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

  /** Commander asks for help as an error when a subcommand is missing. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context === "function") return super.help(context);
    if (context?.error) this.error("a command is missing");
    return super.help(context);
  }

  /** Adds examples, and what `--json` prints, to the help. */
  manual({ examples, json }: Manual): this {
    const calls = examples.map((example) => `  $ ${example}`).join("\n");
    this.addHelpText("after", `\nExample:\n${calls}`);
    if (json) this.addHelpText("after", `\nWith --json:\n  ${json.replaceAll("\n", "\n  ")}`);
    return this;
  }

  /** Opens the database, works with the arguments and options of the command, and prints the output. */
  does<Args extends unknown[]>(
    work: (context: CommandContext, ...args: Args) => Promise<Output>,
  ): this {
    return this.action((...args: unknown[]) =>
      runOwner(args.at(-1) as Command, (context) => work(context, ...(args.slice(0, -1) as Args))),
    );
  }

  #fullName(): string {
    return this.parent instanceof QueueApiCommand
      ? `${this.parent.#fullName()} ${this.name()}`
      : this.name();
  }
}
