import { html } from "../lib/html.js";
import { addService, mostServices, serviceOptions } from "../owner/services.js";
import type { Service } from "../rules/records.js";
import { inHours } from "./date-format.js";
import { asFlag, asNumberOrNull, checkField, textField } from "./forms.js";
import { resourcePage } from "./resource.js";

/** The services that people come for. */
export const services = resourcePage<Service>({
  path: "/services",
  title: "Services",
  one: "service",
  purpose:
    "A service is what people come for. With its usual time, waits can be predicted from the first token on.",
  list: (store, businessId) => store.services.list(businessId),
  add: addService,
  tooMany: `A business has at most ${mostServices} services. Change one that is no longer offered.`,
  change: (store, ...change) => store.services.change(...change),
  remove: (store, ...which) => store.services.remove(...which),
  schema: serviceOptions,
  fields: {
    name: { label: "Name" },
    price: { label: "Price", read: asNumberOrNull },
    baseTimeMinutes: { label: "Usual time in minutes", read: asNumberOrNull },
    active: { label: "Offered", read: asFlag },
  },
  columns: [
    ["Usual time", ({ baseTimeMinutes: time }) => (time === null ? "unknown" : inHours(time))],
    ["Price", ({ price }) => (price === null ? "none" : `₹${price}`)],
    [
      "State",
      ({ active }) =>
        html`<span class="badge ${active && "good"}">${active ? "Offered" : "Off"}</span>`,
    ],
  ],
  toggle: {
    field: "active",
    labels: { on: "Switch on", off: "Switch off" },
    said: { on: "The service is offered again.", off: "The service is switched off." },
  },
  form: (state, service) => {
    const { name = "", price = null, baseTimeMinutes = null, active = true } = service ?? {};
    return html`${textField(
      { name: "name", label: "Name", value: name, attributes: html`maxlength="240" required` },
      state,
    )}<div class="fields">
${textField(
  {
    name: "baseTimeMinutes",
    label: "Usual time in minutes",
    type: "number",
    hint: "Used to predict waits. Leave it empty if the time varies widely.",
    value: `${baseTimeMinutes ?? ""}`,
    attributes: html`min="0" max="1440"`,
  },
  state,
)}${textField(
  {
    name: "price",
    label: "Price",
    type: "number",
    hint: "In whole rupees. Empty for none.",
    value: `${price ?? ""}`,
    attributes: html`min="0"`,
  },
  state,
)}</div>
${checkField(
  {
    name: "active",
    label: "Offered now",
    hint: "If it is switched off, no new tokens or appointments can be made for it. Existing ones stay.",
    checked: active,
  },
  state,
)}`;
  },
});
