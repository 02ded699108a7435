import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { passwordFault, passwordLength } from "../../owner/password.js";
import { type FormState, inputs } from "../forms.js";

/** The fields of a new password. It is typed twice because password fields hide the text. */
export const newPasswordShape = {
  password: z.string("Fill this in."),
  again: z.string("Fill this in."),
} as const;

/** Refines a form that has {@link newPasswordShape}: the password is acceptable, and both fields match. */
export function checkNewPassword(
  { password, again }: { readonly password: string; readonly again: string },
  context: z.RefinementCtx,
): void {
  const fault = passwordFault(password);
  if (fault !== null) context.addIssue({ code: "custom", path: ["password"], message: fault });
  else if (again !== password) {
    const message = "This is not the same as above. Type the password twice.";
    context.addIssue({ code: "custom", path: ["again"], message });
  }
}

/** The fields as HTML. `label`: the label of the password field. */
export function newPasswordFields(label: string, state: FormState): Html {
  const { min } = passwordLength;
  const hint = `At least ${min} characters. A few words that are hard to guess work well.`;
  const field = { type: "password", autocomplete: "new-password" } as const;
  const { text } = inputs(state);
  const again = text({ ...field, name: "again", label: `${label} again` });
  return html`${text({ ...field, name: "password", label, hint })}${again}`;
}
