/* Makes a call on the built package and gives another one up on its way. Run with the address. */
import { QueueApi } from "@queue-api/sdk";

const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: process.argv[2] });
const { status } = await api.entries.get("01K2Q7M8Zb4nT6wXc9RvYd3F");
const given = new AbortController();
const other = api.me.get({ signal: given.signal }).catch(() => {});
setImmediate(() => given.abort());
await other;
console.log(status);
