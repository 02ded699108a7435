import type { RequestOptions } from "node:http";

const ofTheConnection = ["connection", "content-length", "host", "keep-alive", "transfer-encoding"];
const withLength = ["POST", "PUT", "PATCH"];

/** A request as `fetch` sends it: to the path below the base URL, with the headers that HTTP requires. */
export function wireRequest(
  { method, headers }: Request,
  { host, search }: URL,
  path: string,
  body: Buffer | null,
): RequestOptions {
  const own = [...headers].filter(([name]) => !ofTheConnection.includes(name)).flat();
  const length = body?.length ?? (withLength.includes(method) ? 0 : null);
  return {
    method,
    path: path + search,
    headers: [
      ...["host", host, "connection", "keep-alive"],
      ...own,
      ...(length === null ? [] : ["content-length", `${length}`]),
    ],
    setHost: false,
  };
}

/** The whole body; null if there is none. */
export async function readBody(request: Request): Promise<Buffer | null> {
  return request.body === null ? null : Buffer.from(await request.arrayBuffer());
}

/** The body as tests see it: the parsed JSON, or the text if it is not JSON; null without a body. */
export function shownBody(body: Buffer | null): unknown {
  if (!body?.length) return null;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
