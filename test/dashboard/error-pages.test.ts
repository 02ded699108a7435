import { createServer } from "node:http";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { errorPages } from "../../server/src/dashboard/error-pages.js";
import { listen } from "../support/listen.js";

test("an error page that fails too leaves the response to the application", async () => {
  const failing: RequestHandler = (_req, res) => {
    res.locals.context = { requestId: "request" };
    throw new Error("the page");
  };
  const ofApplication: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(500).send(error.message);
  };
  const sendPage = () => Promise.reject(new Error("the error page"));
  const app = express().use(failing, errorPages(sendPage, pino({ level: "silent" })));
  const server = createServer(app.use(ofApplication));
  onTestFinished(() => void server.close());

  const response = await fetch(await listen(server));
  expect([response.status, await response.text()]).toEqual([500, "the error page"]);
});
