import { redirect } from "next/navigation";
import { firstCustomer, waiting } from "../queue-api.js";

export const dynamic = "force-dynamic"; // the build has no key

async function refresh() {
  "use server";
  redirect(`/result?waiting=${await waiting()}`);
}

export default async function Page() {
  return (
    <form action={refresh}>
      <p id="waiting">{`waiting:${await waiting()}`}</p>
      <p>{`first:${await firstCustomer()}`}</p>
      <button type="submit">Again</button>
    </form>
  );
}
