import { describe, expect, test } from "vitest";
import { isExpected, withEntry } from "../../server/src/rules/appointment-status.ts";
import { byCreation } from "../../server/src/rules/order.ts";
import { acceptsProof, newPasswordLink } from "../../server/src/rules/password-link.ts";
import { personMatcher } from "../../server/src/rules/person-search.ts";
import { formatPhone, storedPhone } from "../../server/src/rules/phone.ts";
import { assertSeen, StaleError } from "../../server/src/rules/stale.ts";
import { allTokens, numberOfToken, tokenKey } from "../../server/src/rules/token.ts";
import { account, appointment, entry } from "../store/support/records.js";

describe("a search for a person", () => {
  const zoe = entry(12, { customerName: "Zoë  Müller García", customerPhone: "919812345678" });

  test.each([
    ["a12", true], // the token
    ["A 1", true], // its start
    ["12", true], // its number
    ["1", false],
    ["zoe", true],
    [" muller\tZOE ", true],
    ["GARCI zo", true],
    ["zoe smith", false],
    ["981", true], // digits of the phone number
    ["98", false], // most numbers contain any two
    ["+91 98123-45678", true],
    ["0 98123 45678", true], // without the country code
    ["012345678", true],
    ["0 12345679", false],
    ["0345678", false],
    ["x981", false],
  ])("%s: %s", (typed, isFound) => {
    expect(personMatcher(typed)?.(zoe)).toBe(isFound);
  });

  test("finds a token of a series in small letters, however it is typed", () => {
    const small = entry(12, { tokenSeries: "lab", customerName: null, customerPhone: null });
    const isFound = (typed: string) => personMatcher(typed)?.(small);
    expect(["lab12", "LAB 1", "b12"].map(isFound)).toEqual([true, true, false]);
  });

  test("finds a person who was transferred by the token on their paper too", () => {
    const token = { ...entry(7), startedAt: null, leftAtRevision: 1 };
    const undone = { ...token, tokenNumber: 8, leftAtRevision: -1 };
    const transferred = { ...zoe, tokenSeries: "L", earlierTokens: [token, undone] };
    const isFound = (typed: string) => personMatcher(typed)?.(transferred);
    expect(["L12", "A7", "7", "A8"].map(isFound)).toEqual([true, true, true, false]);
  });

  test("of nothing is none, and a person without a name and number has a token alone", () => {
    expect(personMatcher(" \t ")).toBeNull();
    const unknown = entry(12, { customerName: null, customerPhone: null });
    const isFound = (typed: string) => personMatcher(typed)?.(unknown);
    expect(["A12", "zoe", "9812345678", "null"].map(isFound)).toEqual([true, false, false, false]);
  });
});

test.each([
  [" +91 98000-00001", "919800000001", true, "+919800000001"],
  ["098 0000 0001", "09800000001", false, "09800000001"],
  [null, null, false, null],
])(
  "the phone number %s is stored as digits, and shown as it was given",
  (given, digits, isInternational, shown) => {
    const stored = { customerPhone: digits, phoneIsInternational: isInternational };
    expect(storedPhone(given)).toEqual(stored);
    expect(formatPhone(stored)).toBe(shown);
  },
);

describe("the status of an appointment", () => {
  test.each([
    ["WAITING", "CHECKED_IN"],
    ["IN_SERVICE", "IN_SERVICE"],
    ["COMPLETED", "COMPLETED"],
    ["CANCELED", "CANCELLED"],
    ["NO_SHOW", "NO_SHOW"],
  ] as const)("with an entry that is %s is %s, and nobody is expected", (status, shown) => {
    const found = withEntry(appointment("visit"), entry(1, { status }));
    expect(found.appointment).toEqual(appointment("visit", { status: shown }));
    expect(isExpected(found)).toBe(false);
  });

  test.each([
    ["CONFIRMED", true],
    ["CHECKED_IN", true],
    ["IN_SERVICE", false],
    ["CANCELLED", false],
  ] as const)("without an entry stays %s; expected: %s", (status, expected) => {
    const found = withEntry(appointment("visit", { status }), null);
    expect(found).toEqual({ appointment: appointment("visit", { status }), entry: null });
    expect(isExpected(found)).toBe(expected);
  });
});

describe("a proof for a new password", () => {
  const now = 1_000_000;
  const link = newPasswordLink("link", now);
  const anna = { ...account("anna", { passwordHash: "hash" }), link };

  test.each([
    ["the hash of the old password", { passwordHash: "hash" }, now, true],
    ["another hash", { passwordHash: "wrong" }, now, false],
    ["the link", { linkTokenHash: "link" }, now, true],
    ["another link", { linkTokenHash: "wrong" }, now, false],
    ["the link until it expires", { linkTokenHash: "link" }, now + 24 * 3_600_000 - 1, true],
    ["the link when it has expired", { linkTokenHash: "link" }, now + 24 * 3_600_000, false],
  ])("%s", (_, proof, at, isValid) => {
    expect(acceptsProof(anna, proof, at)).toBe(isValid);
  });
});

const record = { name: "Anna", ips: ["10.0.0.1"], revision: 3 };

test.each([
  ["on the revision that was seen", false, { name: "Bert" }, 3],
  ["on any revision", false, { name: "Bert" }, null],
  ["on an earlier revision", true, { name: "Bert" }, 2],
  ["on an earlier revision, but made already", false, { name: "Anna", ips: ["10.0.0.1"] }, 2],
  ["on an earlier revision, made in part", true, { name: "Anna", ips: [] }, 2],
])("a change %s, is stale: %s", (_, isStale, change, seen) => {
  const attempt = () => assertSeen(record, change, seen);
  if (isStale) expect(attempt).toThrow(StaleError);
  else expect(attempt).not.toThrow();
});

test("records are in the order of their creation, then of their ids", () => {
  const made = [
    { createdAt: 2, id: "a" },
    { createdAt: 1, id: "c" },
    { createdAt: 1, id: "B" },
    { createdAt: 1, id: "b" },
  ];
  expect(made.sort(byCreation).map(({ id }) => id)).toEqual(["B", "b", "c", "a"]);
});

test("a token of an entry, also one that the person left, has a text in the order of numbers", () => {
  const left = { ...entry(10, { queueId: "q:1" }), leftAtRevision: 0 };
  const transferred = entry(9, { queueId: "q:2", earlierTokens: [left] });
  const texts = allTokens(transferred).map(tokenKey);
  expect(texts).toEqual(["q:2:000009", "q:1:000010"]);
  expect(texts.map(numberOfToken)).toEqual([9, 10]);
});
