import { type Html, html } from "../../lib/html.js";
import type { Service } from "../../rules/records.js";
import { asFlag, asNumberOrNull } from "../checked-form.js";
import { checkField, type FormState, textField } from "../forms.js";

/** The labels and parsers of a service's fields. */
export const serviceFields = {
  name: { label: "Name" },
  price: { label: "Price", read: asNumberOrNull },
  baseTimeMinutes: { label: "Usual time in minutes", read: asNumberOrNull },
  active: { label: "Offered", read: asFlag },
} as const;

export function serviceForm(state: FormState, service?: Service): Html {
  const { name = "", price = null, baseTimeMinutes = null, active = true } = service ?? {};
  return html`${textField(
    {
      name: "name",
      label: serviceFields.name.label,
      value: name,
      attributes: html`maxlength="240" required`,
    },
    state,
  )}<div class="fields">
${textField(
  {
    name: "baseTimeMinutes",
    label: serviceFields.baseTimeMinutes.label,
    type: "number",
    hint: "Used to predict waits. Leave it empty if the time varies widely.",
    value: baseTimeMinutes === null ? "" : `${baseTimeMinutes}`,
    attributes: html`min="0" max="1440"`,
  },
  state,
)}${textField(
  {
    name: "price",
    label: serviceFields.price.label,
    type: "number",
    hint: "In whole rupees. Empty for none.",
    value: price === null ? "" : `${price}`,
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
}
