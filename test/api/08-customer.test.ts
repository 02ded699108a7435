import { expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { expectStatus, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

/** Creates an entry for a customer with this name or phone number, which the service stores or refuses. */
async function expectCreation(
  field: "name" | "phone",
  sent: string,
  status: number,
  stored: string,
) {
  const clinic = await service.clinic();
  const answer = await clinic.client().create(clinic.queue(), { ...customer1, [field]: sent });
  expectStatus(answer, status);
  if (status === 400) expectWrong(answer, field);
  else expect((await clinic.client().entry(answer.data.id)).data.customer[field]).toBe(stored);
}

test.each([
  ["1 letter", "a", 201],
  ["120 letters", "a".repeat(120), 201],
  ["120 emoji, each one character", "🙂".repeat(120), 201],
  ["a space", " ", 201],
  ["nothing", "", 400],
  ["121 letters", "a".repeat(121), 400],
  ["121 emoji", "🙂".repeat(121), 400],
])("a name of 1 to 120 characters: %s", (_, name, status) =>
  expectCreation("name", name, status, name),
);

test.each([
  ["8 digits", "12345678", 201],
  ["20 digits", "12345678901234567890", 201],
  ["a plus and 20 digits", "+12345678901234567890", 201],
  ["8 digits among spaces, dashes and brackets", "(12) 34-56 78", 201],
  ["a country code after a plus", "+91 98000-00001", 201],
  ["7 digits", "1234567", 400],
  ["7 digits in 8 characters", "1234 567", 400],
  ["21 digits", "123456789012345678901", 400],
  ["20 digits with a space: 21 characters", "1234567890 1234567890", 400],
  ["a plus in the middle", "1234+5678", 400],
  ["two pluses", "++12345678", 400],
  ["letters", "12345678x", 400],
  ["dots", "12.34.56.78", 400],
  ["digits of another script", "१२३४५६७८", 400],
  ["a line break at the end", "12345678\n", 400],
  ["only punctuation", "--------", 400],
  ["nothing", "", 400],
])("a phone number of 8 to 20 digits: %s", (_, phone, status) =>
  expectCreation("phone", phone, status, phone.replaceAll(/\D/g, "")),
);
