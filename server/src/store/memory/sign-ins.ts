import type { Clock } from "../../rules/ports.js";
import { decideSignIn, forgiven, signInWindowsOf } from "../../rules/sign-in.js";
import type { SignInStore } from "../port/sign-ins.js";
import type { Tables } from "./tables.js";

export function memorySignIns({ ownerSignIns: windows }: Tables, clock: Clock): SignInStore {
  return {
    async admit(attempt) {
      const names = signInWindowsOf(attempt);
      const found = {
        address: windows.get(names.address) ?? null,
        email: windows.get(names.email) ?? null,
      };
      const { admission, address, email } = decideSignIn(found, clock());
      if (address) windows.set(names.address, address);
      if (email) windows.set(names.email, email);
      return admission;
    },

    async forgive(attempt, chargedAt) {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        const window = windows.get(name);
        if (window) windows.set(name, forgiven(window, chargedAt));
      }
    },
  };
}
