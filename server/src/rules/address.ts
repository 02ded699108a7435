import { BlockList, isIPv4, isIPv6, SocketAddress } from "node:net";

/**
 * The forms that some proxies write in `X-Forwarded-For`: `203.0.113.7:5678`, `[2001:db8::7]:5678` or
 * `[2001:db8::7]`.
 */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;

/** An address in normal form: IPv4-mapped IPv6 becomes IPv4, and a zone id and a port are removed. */
export function normalAddress(written: string): string {
  const [, ipv4, ipv6] = withPort.exec(written) ?? [];
  const address = ipv4 ?? ipv6 ?? written;
  if (isIPv4(address)) return address;
  const zoneless = address.split("%", 1)[0] ?? "";
  if (!isIPv6(zoneless)) return "unknown";
  const short = new SocketAddress({ address: zoneless, family: "ipv6" }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(short)?.[1] ?? short;
}

/** The subject that failed sign-ins are counted for: an IPv4 address, or the /64 of an IPv6 address. */
export function signInSubject(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = address.includes("::") ? Array(8 - left.length - right.length).fill("0") : [];
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The reason why an allowlist item is invalid, or null if it is valid. */
export function allowlistFault(item: string): string | null {
  const [address = "", prefix, ...rest] = item.split("/");
  if (rest.length === 0 && isIPv4(address)) {
    if (prefix === undefined) return null;
    if (/^(0|[1-9]\d?)$/.test(prefix) && Number(prefix) <= 32) return null;
  }
  if (prefix === undefined && isIPv6(address) && !address.includes("%")) return null;
  return "must be an IPv4 address, an IPv4 range like 203.0.113.0/24, or an exact IPv6 address";
}

/** Whether an allowlist admits an address in normal form. An empty list admits every address. */
export function isAllowed(allowIps: readonly string[], address: string): boolean {
  if (allowIps.length === 0) return true;
  const list = new BlockList();
  for (const item of allowIps) {
    const [net = "", prefix] = item.split("/");
    const family = isIPv4(net) ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(net, family);
    else list.addSubnet(net, Number(prefix), family);
  }
  if (isIPv4(address)) return list.check(address, "ipv4");
  return isIPv6(address) && list.check(address, "ipv6");
}
