import { missingMessage, notTextMessage } from "@queue-api/contract";
import type { ErrorDetail } from "./generated/types.js";

/** A problem of an argument or option: the service's error detail, and the subject for a sentence. */
export interface Problem extends ErrorDetail {
  readonly subject: string;
  /** How to fix it, for people. */
  readonly hint?: string;
}

/** Returns the problem of a value; null if the value is valid. Never includes the value. */
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

/** A text condition of the contract. Declared here, since users of this package lack the contract package. */
interface TextRule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

/** A text check by the rules of the service. */
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
