import type { Scope } from "./me.js";
import { type RouteMetadata, routes } from "./routes.js";

type Routes = typeof routes;

/** A route of the API by its method and path, as in `"POST /v1/queues/:queueId/entries"`. */
export type RouteName = {
  [Noun in keyof Routes]: {
    [Name in keyof Routes[Noun]]: Routes[Noun][Name] extends {
      method: infer Method extends string;
      path: infer Path extends string;
    }
      ? `${Method} ${Path}`
      : never;
  }[keyof Routes[Noun]];
}[keyof Routes];

const patterns = Object.values(routes)
  .flatMap((noun) => Object.values(noun))
  .map(({ method, path, metadata }) => ({
    name: `${method} ${path}` as RouteName,
    method: method as string,
    access: (metadata as RouteMetadata).access,
    path: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
  }));

/** Every route of the API, in the order of the document. */
export const routeNames: readonly RouteName[] = patterns.map(({ name }) => name);

/** The route of a request; null if none matches. HEAD uses the route of GET. */
export function routeOf(method: string, path: string): RouteName | null {
  const asked = method === "HEAD" ? "GET" : method;
  return patterns.find((one) => one.method === asked && one.path.test(path))?.name ?? null;
}

/** The scopes that a route needs. */
export function scopesOf(route: RouteName | null): Scope[] {
  const access = patterns.find(({ name }) => name === route)?.access ?? null;
  return access === null || access === "public" ? [] : [access];
}
