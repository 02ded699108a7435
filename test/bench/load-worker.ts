import type { Slice } from "./compare.js";
import { Generator } from "./generator.js";
import type { LoadSpec } from "./load.js";
import { answerQuestions } from "./worker.js";

/** The messages to the load process: first the target, then the duration of each round. */
export type LoadQuestion = { readonly spec: LoadSpec } | { readonly milliseconds: number };

let generator: Generator | undefined;

answerQuestions<LoadQuestion, Slice | null>(async (question) => {
  if ("milliseconds" in question) return generator?.run(question.milliseconds) ?? null;
  generator = new Generator(question.spec);
  return null;
});
