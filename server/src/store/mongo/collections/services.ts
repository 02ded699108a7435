import { Schema } from "mongoose";
import type { Service } from "../../../rules/records.js";

export interface ServiceDoc extends Omit<Service, "id"> {
  readonly _id: string;
  /** The order in the list: services are listed as they were added. */
  readonly place: number;
}

export const serviceSchema = new Schema<ServiceDoc>(
  {
    _id: String,
    businessId: String,
    place: Number,
    name: String,
    price: Number,
    baseTimeMinutes: Number,
    active: Boolean,
  },
  { collection: "services" },
).index({ businessId: 1, place: 1 }, { name: "business" });

export function writeService(service: Service, place: number): ServiceDoc {
  const { id: _id, ...rest } = service;
  return { _id, place, ...rest };
}

export function readService(doc: ServiceDoc): Service {
  const { _id: id, businessId, name, price, baseTimeMinutes, active } = doc;
  return { id, businessId, name, price, baseTimeMinutes, active };
}
