import { decideAdmission, signInReport } from "../../rules/admission.js";
import type { Clock } from "../../rules/ports.js";
import type { AdmissionStore } from "../port/requests.js";
import { splitKey, type Tables } from "./tables.js";

export function memoryAdmission(tables: Tables, clock: Clock): AdmissionStore {
  return {
    async admit(attempt) {
      const { key, ...windows } = splitKey(tables.keys.get(attempt.credentials?.keyId ?? ""));
      const business = tables.businesses.get(key?.businessId ?? "") ?? null;
      const signIns = tables.failedKeys.get(attempt.subject) ?? null;
      const decision = decideAdmission(attempt, { key, business, signIns, ...windows }, clock());
      if (decision.signIns) tables.failedKeys.set(attempt.subject, decision.signIns);
      if (key && decision.requests) {
        const { requests, writes = windows.writes } = decision;
        tables.keys.set(key.id, { ...key, requests, writes });
      }
      return decision.admission;
    },

    signInWindow: async (subject) => signInReport(tables.failedKeys.get(subject) ?? null, clock()),
  };
}
