import { randomBytes } from "node:crypto";
import { addAccount } from "@queue-api/server";
import type { Clinic } from "../../support/clinic.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { fieldIn } from "./html.js";

/** The response of a page. */
export type PageAnswer = Awaited<ReturnType<Visitor["get"]>>;

/** The values of a form. Several values of one name are ticked boxes. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;

type HeaderChanges = Readonly<Record<string, string | null>>;

/** A browser: stores cookies and sends the Origin of a form. Does not follow redirects. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  /** The form token of the last page. */
  formToken = "";

  constructor(
    readonly url: string,
    /** The address of the client, sent in `X-Forwarded-For` like a proxy does. */
    readonly address: string,
    /** Headers of each request. Null omits a header that a browser sends. */
    readonly headers: HeaderChanges = {},
  ) {}

  get(path: string, headers: HeaderChanges = {}) {
    return this.send("GET", path, null, headers);
  }

  /** Sends a form, with the form token of the last page unless the form has one. */
  submit(path: string, fields: Filled = {}, headers: HeaderChanges = {}) {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries({ form_token: this.formToken, ...fields })) {
      for (const value of [values].flat()) body.append(name, value);
    }
    return this.send("POST", path, body.toString(), headers);
  }

  /** Sends a form, and follows its redirect. */
  async submitAndFollow(path: string, fields: Filled = {}) {
    const { status, location } = await this.submit(path, fields);
    if (status !== 303 || location === null) throw new Error(`the form led nowhere: ${status}`);
    return this.get(location);
  }

  async send(method: string, path: string, body: string | null, changes: HeaderChanges = {}) {
    const sent: HeaderChanges = {
      "X-Forwarded-For": this.address,
      ...cookieHeader(this),
      ...(body !== null && {
        Origin: new URL(this.url).origin,
        "Content-Type": "application/x-www-form-urlencoded",
      }),
      ...this.headers,
      ...changes,
    };
    const headers = Object.entries(sent).filter((one): one is [string, string] => one[1] !== null);
    const options = { method, headers, body, redirect: "manual" } as const;
    const response = await fetch(new URL(path, this.url), options);
    const answer = {
      status: response.status,
      headers: response.headers,
      body: await response.text(),
      location: response.headers.get("Location"), // of a redirect, or null
      setCookies: response.headers.getSetCookie(),
    };
    for (const line of answer.setCookies) this.#keep(line);
    this.formToken = fieldIn(answer.body, "form_token") || this.formToken;
    return answer;
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The header with the cookies of a visitor, if there are any. */
export function cookieHeader({ cookies }: Visitor): { readonly Cookie?: string } {
  const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return { ...(Cookie && { Cookie }) };
}

let visitors = 0;

/** A visitor at an address that no other visitor uses. */
export function visitorOf({ url }: Pick<Service, "url">, headers: HeaderChanges = {}): Visitor {
  const number = ++visitors;
  return new Visitor(url, `10.9.${number >> 8}.${number & 255}`, headers);
}

/** A visitor at another address that has the same cookies, or only these of them. */
export function copyOf(
  service: Pick<Service, "url">,
  { cookies, formToken }: Visitor,
  ...names: string[]
) {
  const copy = visitorOf(service);
  for (const [name, value] of cookies)
    if (names.length === 0 || names.includes(name)) copy.cookies.set(name, value);
  copy.formToken = formToken;
  return copy;
}

/** Whether a visitor can open pages of the dashboard. If not, the dashboard redirects to the sign-in. */
export async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const { status } = await visitor.get("/dashboard/account");
  if (![200, 303].includes(status)) throw new Error(`the account page was answered ${status}`);
  return status === 200;
}

/** The password of every owner in these tests. */
export const password = "correct horse battery";
/** The password to which tests change it. */
export const another = "purple elephant on a bicycle";
/** The fields of a sign-in that fails. */
export const wrong = { password: "this is not the password" };

/** Sets a password by a link. */
export function setPassword(visitor: Visitor, token: string, typed = password, again = typed) {
  return visitor.submit("/dashboard/set-password", { token, password: typed, again });
}

/** An owner, before or after setting a password. */
export interface TestOwner {
  readonly email: string;
  /** The token of the owner's link. */
  readonly linkToken: string;
}

/** What adds accounts: a service, or a store with the URL of a server. */
type Desk = Pick<Service, "url" | "store" | "now">;
type Slug = Pick<Clinic, "slug">;
type AccountOptions = [email?: string, role?: "owner" | "staff"];

/** Adds an account without a password to a business, by default of an owner. */
export async function inviteOwner(
  { store, now }: Desk,
  { slug }: Slug,
  ...[email = `owner-${crypto.randomUUID()}@clinic.example`, role]: AccountOptions
): Promise<TestOwner> {
  const context = { now: now(), random: randomBytes };
  const { token } = await addAccount(store, slug, email, context, role);
  return { email, linkToken: token };
}

/** Adds an account to a business, and sets its password. */
export async function newOwner(
  service: Desk,
  clinic: Slug,
  ...options: AccountOptions
): Promise<TestOwner> {
  const owner = await inviteOwner(service, clinic, ...options);
  const set = await setPassword(visitorOf(service), owner.linkToken);
  if (set.status !== 303) throw new Error(`the password was not set: ${set.status}`);
  return owner;
}

/** Signs in with the right password, and returns the response. */
export function signIn(visitor: Visitor, { email }: TestOwner, fields: Filled = {}) {
  return visitor.submit("/dashboard/sign-in", { email, password, ...fields });
}

/** A visitor who is signed in as an owner of a business, by default a new one, with an open page. */
export async function signedInVisitor(
  service: Desk,
  clinic: Slug,
  owner?: TestOwner,
): Promise<Visitor> {
  const visitor = visitorOf(service);
  const { status } = await signIn(visitor, owner ?? (await newOwner(service, clinic)));
  if (status !== 303) throw new Error(`the owner was not signed in: ${status}`);
  await visitor.get("/dashboard/account");
  return visitor;
}

/** A new clinic, and a visitor who is signed in as its owner. */
export async function ownedClinic(service: Service, seed: BusinessSeed = {}) {
  const clinic = await service.clinic(seed);
  return { clinic, visitor: await signedInVisitor(service, clinic) };
}

/** The same with {@link busyClinic}, for tests that send many requests. */
export function busyDesk(service: Service, changes: BusinessSeed = {}) {
  return ownedClinic(service, { keys: [wideKey], ...busyClinic, ...changes });
}

/** A visitor who is signed in as staff of a business. */
export async function signedInStaff(service: Desk, clinic: Slug, email?: string) {
  return signedInVisitor(service, clinic, await newOwner(service, clinic, email, "staff"));
}

/** An owner of a new clinic, signed in with two browsers. */
export async function ownerWithBrowsers(service: Service) {
  const clinic = await service.clinic();
  const owner = await newOwner(service, clinic);
  const first = await signedInVisitor(service, clinic, owner);
  return { clinic, owner, first, second: await signedInVisitor(service, clinic, owner) };
}

export type Browsers = Awaited<ReturnType<typeof ownerWithBrowsers>>;

/** Sends the form for another password, filled in with valid values, except for the given fields. */
export function changePassword(visitor: Visitor, fields: Filled = {}) {
  const typed = { current: password, password: another, again: another };
  return visitor.submit("/dashboard/account", { ...typed, ...fields });
}
