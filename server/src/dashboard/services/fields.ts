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
    hint: "What waits are predicted by. Empty when it differs much.",
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
    hint: "Switched off, no token or appointment can be made for it. What was made stays.",
    checked: active,
  },
  state,
)}`;
}
