import { firstCustomer, waiting } from "../../../queue-api.js";

export const dynamic = "force-dynamic"; // Next.js 14 would call it in the build

export async function GET() {
  return Response.json({ waiting: await waiting(), first: await firstCustomer() });
}
