import { routes } from "@queue-api/contract";

/**
 * Adds a tool for each business endpoint that the scopes of the key allow. Its name, its texts and its input are those
 * of the contract, so a business endpoint that the contract gains becomes a tool without a change here. The two public
 * endpoints get none: they describe the API, and their access, `public`, is no scope of a key.
 */
export function addTools(server, api, scopes) {
  for (const route of Object.values(routes).flatMap((noun) => Object.values(noun))) {
    const { method, path, summary, description, pathParams, query, headers, body } = route;
    const { access, operationId } = route.metadata;
    if (access !== null && !scopes.includes(access)) continue;
    server.registerTool(
      operationId,
      {
        title: summary,
        description,
        // Strict, like the query: the model learns of a misspelled argument.
        inputSchema: query.extend({ ...pathParams?.shape, ...body?.shape, ...headers?.shape }),
        annotations: {
          readOnlyHint: method === "GET",
          destructiveHint: operationId === "cancelEntry",
        },
      },
      async (input) => {
        const response = await api.request(method, filledIn(path, input), {
          query: only(query.shape, input),
          body: body?.shape && only(body.shape, input),
          idempotencyKey: input["idempotency-key"],
        });
        return { content: [{ type: "text", text: JSON.stringify(response) }] };
      },
    );
  }
}

/** The path with the ids of the input in place of its parameters. */
function filledIn(path, input) {
  return path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(input[name]));
}

/** The part of the input that has a field. */
function only(fields, input) {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name in fields));
}
