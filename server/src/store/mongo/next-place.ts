import type { Collection, Filter } from "./connection.js";

/** The place in the list of the next item that is added. */
export async function nextPlace<
  Doc extends { readonly businessId: string; readonly place: number },
>({ raw }: Pick<Collection<Doc>, "raw">, businessId: string): Promise<number> {
  const own = { businessId } as Filter<Doc>;
  const [last] = await raw.find(own).sort({ place: -1 }).limit(1).toArray();
  return (last?.place ?? -1) + 1;
}
