import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allowlistIssue,
  isAllowed,
  isProxy,
  normalAddress,
  signInSubject,
  trustedProxies,
} from "../../server/src/rules/address.ts";

const numberOf = (address: string) =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:cb00:7107", "203.0.113.7"],
  ["2001:DB8:0:0:0:0:0:7", "2001:db8::7"],
  ["fe80::1%eth0", "fe80::1"],
  ["::1", "::1"],
  ["203.0.113.7:5678", "203.0.113.7"],
  ["[2001:db8::7]:5678", "2001:db8::7"],
  ["[2001:db8::7]", "2001:db8::7"],
  ["[203.0.113.7]x", "unknown"],
  ["203.0.113.7:567890", "unknown"],
  ["", "unknown"],
  ["nonsense", "unknown"],
  ["203.0.113.256", "unknown"],
])("the canonical form of %j is %s, and that is its own", (address, expected) => {
  expect(normalAddress(address)).toBe(expected);
  expect(normalAddress(expected)).toBe(expected);
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8::7", "2001:db8:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:3:3:4:5:6", "2001:db8:1:3::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["1::5:6:7:8:9:a", "1:0:5:6::/64"],
  ["1:2::6:7:8", "1:2:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["unknown", "unknown"],
])("for failed sign-ins, %s counts as %s", (address, expected) => {
  expect(signInSubject(address)).toBe(expected);
});

describe("an allowlist", () => {
  test("admits the addresses of its ranges, compared with plain arithmetic", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), fc.ipV4(), (net, prefix, address) => {
        const size = 2 ** (32 - prefix);
        const inRange = Math.floor(numberOf(net) / size) === Math.floor(numberOf(address) / size);
        expect(isAllowed([`${net}/${prefix}`], address)).toBe(inRange);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["that is empty admits any address", [], "203.0.113.7", true],
    ["that is empty admits an unknown address", [], "unknown", true],
    ["admits an exact IPv6 address in any notation", ["2001:0db8::0007"], "2001:db8::7", true],
    ["refuses another IPv6 address", ["2001:db8::7"], "2001:db8::8", false],
    ["admits what it lists as a mapped address", ["::ffff:203.0.113.7"], "203.0.113.7", true],
    ["refuses an unknown address", ["0.0.0.0/0"], "unknown", false],
  ])("%s", (_, list, address, admits) => {
    expect(isAllowed(list, address)).toBe(admits);
  });

  test.each(["203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "203.0.113.7/32", "2001:db8::7", "::1"])(
    "can contain %s",
    (item) => {
      expect(allowlistIssue(item)).toBeNull();
    },
  );

  test.each([
    ...["", "203.0.113", "203.0.113.0/33", "203.0.113.0/-1", "203.0.113.0/024", "203.0.113.0/"],
    ...["203.0.113.0/24/24", "2001:db8::/32", "fe80::1%eth0", "localhost", "*"],
  ])("cannot contain %j", (item) => {
    expect(allowlistIssue(item)).toMatch(/IPv4/);
  });
});

describe("a trusted proxy", () => {
  test("is one of the number that is trusted, counted from the service", () => {
    expect([0, 1, 2].map((hop) => trustedProxies(2)("203.0.113.7", hop))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ["127.0.0.1", true],
    ["::1", true],
    ["10.1.2.3:5678", true],
    ["::ffff:10.1.2.3", true],
    ["2001:db8::7", true],
    ["11.0.0.1", false],
    ["2001:db8::8", false],
    ["unknown", false],
    [undefined, false], // the client closed its connection before the server accepted it
  ])("with the address %s is one of the ranges and names: %s", (address, isTrusted) => {
    const isProxyAt = trustedProxies(["loopback", "10.0.0.0/8", "2001:db8::7"]);
    expect(isProxyAt(address, 9)).toBe(isTrusted);
  });

  test.each([
    ...["loopback", "linklocal", "uniquelocal", "203.0.113.7", "10.0.0.0/8", "10.0.0.7/32"],
    ...["2001:db8::7", "2001:db8::/32", "fc00::/7", "2001:db8::7/128"],
  ])("can be %s", (item) => {
    expect(isProxy(item)).toBe(true);
  });

  test.each([
    ...["", "all", "toString", "localhost", "0.0.0.0/0", "10.0.0.0/7", "10.0.0.0/33"],
    ...["10.0.0.0/08", "10.0.0.0/8/8", "10.0.0.0/", "::/0", "fc00::/6", "2001:db8::/129"],
    ...["::/7", "::ffff:0:0/96", "::ffff:10.0.0.0/120", "fe80::1%eth0"],
  ])("cannot be %j, by which it could be any address", (item) => {
    expect(isProxy(item)).toBe(false);
  });
});
