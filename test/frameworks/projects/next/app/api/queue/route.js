import { firstCustomer, waiting } from "../../../queue-api.js";

export async function GET() {
  return Response.json({ waiting: await waiting(), first: await firstCustomer() });
}
