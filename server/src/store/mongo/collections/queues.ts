import { Schema } from "mongoose";
import type { Queue } from "../../../rules/records.js";

export interface QueueDoc extends Omit<Queue, "id"> {
  readonly _id: string;
  /** The order in the list: queues are listed as they were added. */
  readonly place: number;
}

export const queueSchema = new Schema<QueueDoc>(
  {
    _id: String,
    businessId: String,
    place: Number,
    name: String,
    tokenSeries: String,
    isActive: Boolean,
    isTokenCreationPaused: Boolean,
  },
  { collection: "queues" },
).index({ businessId: 1, place: 1 }, { name: "business" });

export function writeQueue(queue: Queue, place: number): QueueDoc {
  const { id: _id, ...rest } = queue;
  return { _id, place, ...rest };
}

export function readQueue(doc: QueueDoc): Queue {
  const { _id: id, businessId, name, tokenSeries, isActive, isTokenCreationPaused } = doc;
  return { id, businessId, name, tokenSeries, isActive, isTokenCreationPaused };
}
