/** The program under test: takes a token, and retries once when the response is lost. */
export async function takeToken({ baseUrl, apiKey, queueId }, customer, idempotencyKey) {
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
