import express from "express";
import { problemAnswers } from "./problem-answers.js";
import { queueProvider } from "./queue-provider.js";
import { waitingRoutes } from "./routes.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const logger = console;
const app = express();
app.disable("x-powered-by");
app.use(express.json({ limit: "4kb" }));
app.use(waitingRoutes(queueProvider({ env: process.env, logger })));
app.use(problemAnswers(logger));

const server = app.listen(Number(process.env.PORT ?? 4001), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`the application is at http://127.0.0.1:${server.address().port}`);
});
