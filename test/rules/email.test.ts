import { describe, expect, it } from "vitest";
import { normalEmail } from "../../server/src/rules/email.js";

describe("an e-mail address", () => {
  it.each([
    ["anna@clinic.example", "anna@clinic.example"],
    ["  Anna.B+desk@Clinic.EXAMPLE\n", "anna.b+desk@clinic.example"],
    ["ÄNNA@bücher.example", "änna@bücher.example"],
    ["a\u0308nna@clinic.example", "\u00e4nna@clinic.example"],
  ])("%j has one form", (text, normal) => {
    expect(normalEmail(text)).toBe(normal);
    expect(normalEmail(normal)).toBe(normal);
  });

  it.each([
    ...["", "anna", "anna@", "@clinic.example", "anna@clinic", "anna@@clinic.example"],
    ...["an na@clinic.example", "an\u0000na@clinic.example", "anna@clinic.example, bert@b.example"],
    `${"a".repeat(250)}@clinic.example`,
  ])("is not %j", (text) => {
    expect(normalEmail(text)).toBeNull();
  });
});
