import { randomText } from "../rules/ids.js";
import { hashSecret } from "../rules/key.js";
import type { Store } from "../store/store.js";
import { addOwner, type Invitation, listOwners, renewLinkOf } from "./account.js";
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
 * only as a hash.
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
  const find = async () =>
    (await listOwners(store, demoSlug)).find((account) => account.email === email);
  const known = await find();
  if (known) return renewLinkOf(store, known, context);
  try {
    return await addOwner(store, demoSlug, email, context);
  } catch (error) {
    // Another server on this database may have added it in the meantime.
    const added = error instanceof OwnerError && (await find());
    if (!added) throw error;
    return renewLinkOf(store, added, context);
  }
}
