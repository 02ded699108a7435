import type { Request, RequestHandler, Response } from "express";

/** One step of the pipeline. It refuses by throwing. */
export type Step = (req: Request, res: Response) => Promise<void> | undefined;

/**
 * Runs steps one after the other as a single Express handler: Express looks for the next handler anew
 * after each, which costs more than most steps. Where the last of them answers, Express looks no further.
 */
export function inOrder(
  steps: readonly Step[],
  { answers = false }: { readonly answers?: boolean } = {},
): RequestHandler {
  return (req, res, next) => {
    let at = 0;
    const go = (): void => {
      while (at < steps.length) {
        const waiting = steps[at++]?.(req, res);
        if (waiting) {
          waiting.then(go).catch(next);
          return;
        }
      }
      if (!answers) next();
    };
    go();
  };
}
