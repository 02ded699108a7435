import type { Request, RequestHandler, Response } from "express";

/** One step of the pipeline. It refuses by throwing. */
export type Step = (req: Request, res: Response) => Promise<void> | undefined;

/**
 * Combines steps into one Express handler. Express searches for the next handler after each one, which costs more
 * than most steps. If the last step answers, Express does not search further.
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
