import { html } from "../lib/html.js";
import { mostServices } from "../operations/business-items.js";
import { addService, serviceOptions } from "../owner/services.js";
import type { Service } from "../rules/records.js";
import { inHours } from "./date-format.js";
import { asFlag, asNumberOrNull, inputs, inRow } from "./forms.js";
import { namedRoutes } from "./resource.js";

const fields = {
  name: { label: "Name" },
  price: { label: "Price", read: asNumberOrNull },
  baseTimeMinutes: { label: "Usual time in minutes", read: asNumberOrNull },
  active: { label: "Offered", read: asFlag },
};

/** The services that people come for. */
export const services = namedRoutes<Service>({
  path: "/services",
  title: "Services",
  one: "service",
  purpose:
    "A service is what people come for. With its usual time, waits can be predicted from the first token on.",
  kept: ({ services }) => services,
  add: addService,
  tooMany: `A business has at most ${mostServices} services. Change one that is no longer offered.`,
  schema: serviceOptions,
  fields,
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
    said: { on: "is offered again", off: "is switched off" },
  },
  form: (state, service) => {
    const { name, price, baseTimeMinutes, active = true } = service ?? {};
    const { text, check } = inputs(state, fields);
    return [
      text({ name: "name", value: name, attributes: html`maxlength="240" required` }),
      inRow(
        text({
          name: "baseTimeMinutes",
          type: "number",
          hint: "Used to predict waits. Leave it empty if the time varies widely.",
          value: baseTimeMinutes,
          attributes: html`min="0" max="1440"`,
        }),
        text({
          name: "price",
          type: "number",
          hint: "In whole rupees. Empty for none.",
          value: price,
          attributes: html`min="0"`,
        }),
      ),
      check({
        name: "active",
        label: "Offered now",
        hint: "If it is switched off, no new tokens or appointments can be made for it. Existing ones stay.",
        checked: active,
      }),
    ];
  },
});
