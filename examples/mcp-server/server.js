import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { QueueApi } from "@queue-api/sdk";
import { addTools } from "./tools.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const api = new QueueApi({ baseUrl: process.env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000" });
const { business, key } = await api.me.get();

// The client of the model reads stdout: print nothing else there.
const server = new McpServer(
  { name: "queue-api", version: "1.0.0" },
  {
    instructions: `The queues of ${business.name}. Days are those of ${business.timezone ?? "UTC"}, timestamps are in UTC.`,
  },
);
addTools(server, api, key.scopes);
await server.connect(new StdioServerTransport());
