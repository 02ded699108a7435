import { rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { QueueApi } from "@queue-api/sdk";
import { csv } from "./csv.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const [file, day] = process.argv.slice(2);
const api = new QueueApi({ baseUrl: process.env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000" });

const { business } = await api.me.get();
const date = day ?? dayBefore(new Date(), business.timezone ?? "UTC");
const services = new Map((await api.services.list()).map(({ id, name }) => [id, name]));
const rows = [
  [
    "kind",
    "queue",
    "token",
    "date",
    "time",
    "status",
    "service",
    "customer",
    "phone",
    "issued",
    "started",
    "ended",
  ],
];

for (const queue of await api.queues.list()) {
  for await (const { items } of api.entries.list(queue.id, { date, limit: 100 }).pages()) {
    rows.push(...items.map((entry) => entryRow(queue, entry)));
    progress(queue.name);
  }
}
for await (const { items } of api.appointments.list({ date, limit: 100 }).pages()) {
  rows.push(...items.map(appointmentRow));
  progress("appointments");
}

const report = csv(rows);
if (file) {
  // npm runs this in the example's own folder; a path is meant from where the person is.
  const target = resolve(process.env.INIT_CWD ?? ".", file);
  await writeFile(`${target}.part`, report);
  await rename(`${target}.part`, target);
} else {
  process.stdout.write(report);
}
console.error(`${business.name}, ${date}: ${rows.length - 1} rows`);

function entryRow(queue, entry) {
  const { token, status, serviceId, customer, issuedAt, startedAt, completedAt, canceledAt } =
    entry;
  const service = services.get(serviceId);
  return [
    "entry",
    queue.name,
    token,
    date,
    null,
    status,
    service,
    customer.name,
    customer.phone,
    issuedAt,
    startedAt,
    completedAt ?? canceledAt,
  ];
}

function appointmentRow({ slotTime, status, serviceId, customer }) {
  const service = services.get(serviceId);
  return [
    "appointment",
    null,
    null,
    date,
    slotTime,
    status,
    service,
    customer.name,
    customer.phone,
    null,
    null,
    null,
  ];
}

function progress(part) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${part}: ${rows.length - 1} rows so far`);
  else console.error(`${part}: ${rows.length - 1} rows so far`);
}

/** The calendar day before an instant, where the business is. */
function dayBefore(instant, timeZone) {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone }).format(instant);
  return new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
}
