import { serviceNames } from "../../../queue-api.js";

export async function GET(request) {
  request.headers.get("x-any"); // not a page of the build
  return Response.json({ names: await serviceNames() });
}
