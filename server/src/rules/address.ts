import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from "node:net";

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
export function allowlistIssue(item: string): string | null {
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
  return allowIps.length === 0 || isIn(listOf(allowIps), address);
}

/** The names that `TRUST_PROXY` takes for ranges of addresses. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Whether an address is one of the proxies that `TRUST_PROXY` names: by their number, counted from the service, or by
 * their addresses, ranges and names. `address` may have a port, as some proxies write it in `X-Forwarded-For`; it is
 * undefined for a connection that its client closed before the server accepted it.
 */
export function trustedProxies(
  trusted: number | readonly string[],
): (address: string | undefined, hop: number) => boolean {
  if (typeof trusted === "number") return (_address, hop) => hop < trusted;
  const list = listOf(trusted.flatMap((item) => namedRanges[item] ?? item));
  return (address = "") => isIn(list, normalAddress(address));
}

/** The addresses of all IPv4, as IPv6 writes them. */
const mappedIPv4 = listOf(["::ffff:0:0/96"]);

/**
 * Whether `TRUST_PROXY` takes this item: a name, an address, or a range no wider than the private ranges. Two wider
 * ranges could cover all addresses, and so does an IPv6 range that contains the mapped IPv4 addresses.
 */
export function isProxy(item: string): boolean {
  if (Object.hasOwn(namedRanges, item)) return true;
  const [address = "", prefix, ...rest] = item.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes("%")) return false;
  if (prefix === undefined) return true;
  const [least, most] = version === 4 ? [8, 32] : [7, 128];
  if (!/^[1-9]\d{0,2}$/.test(prefix) || Number(prefix) < least || Number(prefix) > most)
    return false;
  return version === 4 || !(isIn(mappedIPv4, address) || isIn(listOf([item]), "::ffff:0:0"));
}

function listOf(items: readonly string[]): BlockList {
  const list = new BlockList();
  for (const item of items) {
    const [net = "", prefix] = item.split("/");
    const family = isIPv4(net) ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(net, family);
    else list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  if (isIPv4(address)) return list.check(address, "ipv4");
  return isIPv6(address) && list.check(address, "ipv6");
}
