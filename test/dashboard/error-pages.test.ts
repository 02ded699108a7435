import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { errorPages } from "../../server/src/dashboard/error-pages.js";

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
  const server = app.use(ofApplication).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");

  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([response.status, await response.text()]).toEqual([500, "the error page"]);
});
