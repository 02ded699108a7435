import { normalAddress, signInSubject } from "../rules/address.js";
import { newUuid } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import { setExchange } from "./exchange.js";
import type { Step } from "./steps.js";

/** Gives each request its id and notes where it comes from. */
export function requestId(random: Random): Step {
  return (req, res) => {
    const address = normalAddress(req.ip ?? "");
    const subject = signInSubject(address);
    const requestId = newUuid(random);
    setExchange(res, {
      requestId,
      address,
      subject,
      window: null,
      refusal: null,
      route: null,
      input: null,
      onTimeout: null,
    });
    return undefined;
  };
}
