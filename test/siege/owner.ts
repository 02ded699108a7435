import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Service } from "../bench/stage.js";

const command = fileURLToPath(
  new URL("../bin/queue-api.js", import.meta.resolve("@queue-api/server")),
);

/** Runs a command of the operator on the database of a service, and returns the document that it prints. */
async function byCommand({ databaseUrl }: Service, ...args: string[]) {
  const all = [command, ...args, "--database", databaseUrl, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

/** The rows of the audit log of a business, of which each counts one or more requests. */
export function auditLog(service: Service, slug: string): Promise<readonly { count: number }[]> {
  return byCommand(service, "audit", "--business", slug, "--limit", "100000");
}

/** An owner who is signed in to the dashboard. */
export interface SignedInOwner {
  /** Each as `name=value`. */
  readonly cookies: readonly string[];
  /** Returns the text of a page. Rejects if the status is not 200. */
  get(path: string): Promise<string>;
}

/** Adds an owner to a business as an operator does, sets the password by the link, and signs in. */
export async function signedInOwner(service: Service, slug: string): Promise<SignedInOwner> {
  const { origin } = service;
  const email = `owner@${slug}.example`;
  const { link } = await byCommand(service, "owner", "add", "--business", slug, "--email", email);
  const token = new URL(link).searchParams.get("token") ?? "";
  const password = "correct horse battery";
  const submit = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(`${origin}/dashboard/${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: origin },
      body: new URLSearchParams(fields),
    });
    if (answer.status !== 303) throw new Error(`${path} was answered ${answer.status}`);
    return answer.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "");
  };
  await submit("set-password", { token, password, again: password });
  const cookies = await submit("sign-in", { email, password });
  const headers = { Cookie: cookies.join("; ") };
  return {
    cookies,
    async get(path) {
      const answer = await fetch(`${origin}${path}`, { headers });
      if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
      return answer.text();
    },
  };
}
