const phone = "POST /v1/queues/{queueId}/entries body.phone";
const tooFewDigits =
  "Fewer than 8 digits, and more than 20 characters, were refused before as well; the document did not say so.";

/**
 * Differences that correct the document to what the service has always done. They break no caller, so any
 * changeset is sufficient. Each has its reason. Remove them after a release.
 */
export const corrections: ReadonlyMap<string, string> = new Map([
  [`${phone}: pattern differs`, tooFewDigits],
  [`${phone}: not differs`, tooFewDigits],
  [`${phone}: maxLength is 21 on one side and undefined on the other`, tooFewDigits],
]);
