import { missingMessage, notTextMessage } from "@queue-api/contract";
import type { ErrorDetail } from "./generated/types.js";

/** What is wrong with something that was handed in: as the service tells it, and what a sentence calls it. */
export interface Problem extends ErrorDetail {
  readonly subject: string;
  /** How it can be mended, for people. */
  readonly hint?: string;
}

/** What is wrong with a value; null when nothing is. Never repeats the value. */
export type Check = (value: unknown) => string | null;

/** A sentence for each problem. */
export function sentences(problems: readonly Problem[]): string {
  return problems
    .map(({ subject, message, hint }) => {
      const sentence = `${subject} ${message.replace(/^unknown/, "is an unknown")}.`;
      return hint === undefined ? sentence : `${sentence} ${hint}`;
    })
    .join(" ");
}

/** One condition on a text, as the contract has them; its package is not there where this one is installed. */
interface TextRule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

/** A check of a text by the rules of the service. */
export function follows(rules: readonly TextRule[]): Check {
  return (value) => {
    if (value === undefined) return missingMessage;
    if (typeof value !== "string") return notTextMessage;
    for (const { holds, message } of rules) if (!holds(value)) return message;
    return null;
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
