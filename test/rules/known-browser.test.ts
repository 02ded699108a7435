import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { browserOf, newBrowserToken } from "../../server/src/rules/known-browser.js";

const passwordHash = "$scrypt$ln=17,r=8,p=1$c2FsdA$aGFzaA";

describe("the token of a known browser", () => {
  const token = newBrowserToken(randomBytes, passwordHash);

  it("identifies the browser with the password hash that it was made with", () => {
    const name = browserOf(token, passwordHash);
    expect(name).toMatch(/^[a-zA-Z0-9]{43}$/);
    expect(browserOf(token, passwordHash)).toBe(name);
    expect(browserOf(newBrowserToken(randomBytes, passwordHash), passwordHash)).not.toBe(name);
  });

  it("is invalid with another password hash, and without one", () => {
    expect(browserOf(token, `${passwordHash}x`)).toBeNull();
    expect(browserOf(token, "")).toBeNull();
  });

  it("cannot be changed or forged", () => {
    const [name = "", proof = ""] = token.split(".");
    const [other = ""] = newBrowserToken(randomBytes, passwordHash).split(".");
    for (const made of [
      "",
      ".",
      name,
      `${name}.`,
      `.${proof}`,
      `${other}.${proof}`,
      `${name}.${"0".repeat(64)}`,
      `${name}.${proof.toUpperCase()}x`,
      `${token}\n`,
    ]) {
      expect(browserOf(made, passwordHash), made).toBeNull();
    }
  });
});
