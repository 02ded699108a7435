import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** Addresses from one to another, inclusive, each as 32 hexadecimal digits. */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/**
 * An address as 32 hexadecimal digits, so that a database can compare addresses as strings. An IPv4 address
 * is written as its IPv4-mapped IPv6 address. Null for a text that is not an address.
 */
export function addressDigits(address: string): string | null {
  if (isIPv4(address)) {
    const digits = address.split(".").map((part) => hex(Number(part), 2));
    return `${"0".repeat(20)}ffff${digits.join("")}`;
  }
  if (!isIPv6(address)) return null;
  const written = new SocketAddress({ address, family: "ipv6" }).address;
  const [head = "", tail = ""] = written.split("::");
  const left = groups(head);
  const right = groups(tail);
  return [...left, ...Array(8 - left.length - right.length).fill("0000"), ...right].join("");
}

/** The addresses that an allowlist item matches; see `allowlistFault` for its forms. */
export function addressRange(item: string): AddressRange {
  const [net = "", prefix = "32"] = item.split("/");
  const digits = addressDigits(net);
  if (digits === null) throw new Error("an allowlist item is not an address");
  if (!item.includes("/")) return { from: digits, to: digits };
  const size = 2 ** (32 - Number(prefix));
  const base = Math.floor(Number.parseInt(digits.slice(24), 16) / size) * size;
  const mapped = digits.slice(0, 24);
  return { from: mapped + hex(base, 8), to: mapped + hex(base + size - 1, 8) };
}

function groups(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [group.padStart(4, "0")];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [hex(a, 2) + hex(b, 2), hex(c, 2) + hex(d, 2)];
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
