import type { AppointmentStatus } from "@queue-api/contract";
import type { Agenda } from "./agenda.js";
import type { Station } from "./station.js";

/** What a story has in its agenda. */
export type Due =
  | { readonly kind: "look" }
  /** Somebody may come; somebody is called; an appointment's time has come. */
  | { readonly kind: "candidate" | "call" | "slot"; readonly station: Station }
  /** Somebody has been served; somebody has waited too long. */
  | { readonly kind: "finish" | "patience"; readonly station: Station; readonly ref: string }
  | { readonly kind: "booking"; readonly ref: string; readonly to: AppointmentStatus };

/** The agenda of a story, whose time is the story's. */
export type StoryAgenda = Agenda<Due>;
