import { randomText } from "../rules/ids.js";
import { hashSecret } from "../rules/key.js";
import type { Store } from "../store/store.js";
import { addOwner, type Invitation, renewPasswordLink } from "./account.js";
import type { CreationContext } from "./creation-context.js";
import { demoSlug } from "./demo-data.js";
import { OwnerError } from "./owner-error.js";
import type { Passwords } from "./password.js";

const email = "owner@demo.example";
const passwordLength = 16;

/** How to sign in to the dashboard of the demo business. */
export interface DemoOwner {
  readonly email: string;
  /** It works until the demo is prepared again. */
  readonly password: string;
}

/**
 * Creates the owner of the demo business if it does not exist, and sets a new password, because the old one is stored
 * only as a hash. Throws {@link OwnerError} if the e-mail address belongs to another business.
 */
export async function prepareDemoOwner(
  store: Store,
  { passwords, ...context }: CreationContext & { readonly passwords: Passwords },
): Promise<DemoOwner> {
  const { token } = await invited(store, context);
  const password = randomText(context.random, passwordLength);
  await store.accounts.setPassword(hashSecret(token), await passwords.hash(password));
  return { email, password };
}

async function invited(store: Store, context: CreationContext): Promise<Invitation> {
  const known = await store.accounts.byEmail(email);
  if (!known) return addOwner(store, demoSlug, email, context);
  const demo = await store.businesses.bySlug(demoSlug);
  if (known.businessId === demo?.id) return renewPasswordLink(store, email, context);
  throw new OwnerError({ code: "demo_email_taken", email });
}
