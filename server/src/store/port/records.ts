/** What can change of a record. An absent field stays unchanged. */
export type Change<Item> = Partial<Omit<Item, "id" | "businessId">>;

/** The records of one kind that the owner of a business adds, changes and removes. */
export interface RecordStore<Item> {
  /** `exists` if the business has a record with that id: the same form was sent twice. */
  add(businessId: string, item: Item): Promise<"added" | "exists">;
  /** Null if the business has no such record. */
  change(businessId: string, id: string, change: Change<Item>): Promise<Item | null>;
  /** `in_use`: another record refers to it, so it stays. */
  remove(businessId: string, id: string): Promise<"removed" | "in_use" | "not_found">;
}

/** Records of which a business has few, so that all of them are listed. */
export interface ListedStore<Item> extends RecordStore<Item> {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Item[]>;
  /** Whether another record refers to it, so that it cannot be removed. */
  isInUse(businessId: string, id: string): Promise<boolean>;
}
