import { digitsOf } from "@queue-api/contract";
import type { Customer } from "./records.js";

/** A phone number as it is stored. */
export type StoredPhone = Omit<Customer, "customerName">;

/** A valid phone number, or null for none, as it is stored. */
export function storedPhone(given: string | null): StoredPhone {
  return {
    customerPhone: given === null ? null : digitsOf(given),
    phoneIsInternational: given?.trim().startsWith("+") ?? false,
  };
}

/** A stored phone number as the dashboard shows it. */
export function formatPhone({ customerPhone, phoneIsInternational }: StoredPhone): string | null {
  return phoneIsInternational && customerPhone !== null ? `+${customerPhone}` : customerPhone;
}
