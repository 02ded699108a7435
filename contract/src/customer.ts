import { z } from "zod";
import { phoneDigits } from "./formats.js";

/** The person that an entry or an appointment is for. */
export const customer = z
  .object({
    name: z.string().nullable().describe("Name, exactly as it was sent; null if unknown."),
    phone: phoneDigits
      .nullable()
      .describe("Phone number as digits with the country code; null if unknown."),
  })
  .meta({
    id: "Customer",
    description: "The person that an entry or an appointment is for.",
    examples: [{ name: "Customer 1", phone: "919800000001" }],
  });

export type Customer = z.infer<typeof customer>;
