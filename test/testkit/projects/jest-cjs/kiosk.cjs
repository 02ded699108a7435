/** The program under test: takes a token with the given `fetch`, and retries once when the response is lost. */
async function takeToken(
  { baseUrl, apiKey, queueId, fetch = globalThis.fetch },
  customer,
  idempotencyKey,
) {
  const send = () =>
    fetch(`${baseUrl}/v1/queues/${queueId}/entries`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${apiKey}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify(customer),
    });
  const answer = await send().catch(send);
  const { data, error } = await answer.json();
  return data ? { token: data.token, position: data.position } : { refused: error.code };
}

module.exports = { takeToken };
