import { z } from "zod";
import { phoneDigits } from "./formats.js";

/** The person an entry or an appointment is for. */
export const customer = z
  .object({ name: z.string().nullable(), phone: phoneDigits.nullable() })
  .meta({
    id: "Customer",
    description: "The person an entry or an appointment is for.",
    examples: [{ name: "Customer 1", phone: "919800000001" }],
  });

export type Customer = z.infer<typeof customer>;
