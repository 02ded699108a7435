import type { AppRoute } from "@ts-rest/core";
import { isAppRouteOtherResponse } from "@ts-rest/core";
import { z } from "zod";

/** Fails when an answer is not what the contract says of its route: an undeclared status or another shape. */
export function checkAnswer(route: AppRoute, status: number, body: unknown): void {
  const declared = route.responses[status];
  const name = `${route.method} ${route.path}`;
  if (declared === undefined || isAppRouteOtherResponse(declared)) {
    throw new Error(`${name} must not answer ${status}`);
  }
  if (!(declared instanceof z.ZodType)) throw new Error(`${name} ${status} has no schema`);
  const checked = declared.safeParse(body);
  if (!checked.success) {
    const where = checked.error.issues.map((issue) => issue.path.join(".")).join(", ");
    throw new Error(`${name} answered ${status} outside its schema: ${where}`);
  }
}
