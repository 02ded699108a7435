import { z } from "zod";
import { phoneDigits } from "./formats.js";

/** The person that an entry or an appointment is for. */
export const customer = z
  .object({
    name: z.string().nullable().meta({ description: "As it was sent; null when unknown." }),
    phone: phoneDigits
      .nullable()
      .meta({ description: "Digits only, with the country code; null when unknown." }),
  })
  .meta({
    id: "Customer",
    description: "The person an entry or an appointment is for.",
    examples: [{ name: "Customer 1", phone: "919800000001" }],
  });

export type Customer = z.infer<typeof customer>;
