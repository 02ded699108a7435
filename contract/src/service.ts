import { z } from "zod";
import { id } from "./formats.js";

/** Something that the business does for customers. Only active services are listed. */
export const service = z
  .object({
    id,
    name: z.string().describe("Name of the service."),
    price: z
      .int()
      .nullable()
      .describe("Price in whole currency units (rupees); null if there is none."),
    baseTimeMinutes: z.int().nullable().describe("Usual duration in minutes; null if unknown."),
  })
  .meta({
    id: "Service",
    description: "Something that the business does for customers.",
    examples: [
      { id: "01K2Q7M8Yf6hJ8kLm2PqRs4T", name: "Consultation", price: 300, baseTimeMinutes: 15 },
    ],
  });

export type Service = z.infer<typeof service>;
