import { ApiError, ConflictError, InvalidRequestError, QueueApiError } from "@queue-api/sdk";

const labels = { name: "your name", phone: "your phone number" };

/** Express's error handler: says to the customer what they can do, and keeps the rest for the log. */
export function answerFailure(error, _req, res, _next) {
  if (error instanceof InvalidRequestError) {
    const [wrong] = error.details.flatMap(({ field }) => labels[field] ?? []);
    if (wrong) return res.status(400).json({ message: `Please check ${wrong}.` });
  }
  if (error instanceof ConflictError) {
    return res
      .status(409)
      .json({ message: "No new tokens at the moment. Please ask at the desk." });
  }
  if (error instanceof ApiError && error.code === "plan_limit_reached") {
    return res.status(409).json({ message: "All of today's tokens are taken." });
  }
  if (!(error instanceof QueueApiError)) {
    console.error(error.type ?? error); // Express's errors, which have a type, quote the body
    return res
      .status(error.status ?? 500)
      .json({ message: "Something went wrong. Please try again." });
  }
  console.error(JSON.stringify(error)); // contains everything except the key and the customer
  res.status(502).json({ message: "Something went wrong. Please ask at the desk." });
}
