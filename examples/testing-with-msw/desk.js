import { ConflictError, QueueApi, RateLimitError } from "@queue-api/sdk";

/** The application: what a receptionist's screen says. */
export class Desk {
  #api;
  #queueId;

  constructor({ baseUrl, apiKey, queueId }) {
    // Nobody waits at a desk for longer than five seconds.
    this.#api = new QueueApi({ baseUrl, apiKey, totalTimeoutMs: 5_000 });
    this.#queueId = queueId;
  }

  /** Takes a token for a walk-in customer. */
  async take(name, phone) {
    try {
      const { token, position } = await this.#api.entries.create(this.#queueId, { name, phone });
      return `${token}, number ${position} in line`;
    } catch (error) {
      if (error instanceof ConflictError) return "The queue takes no tokens at the moment.";
      if (error instanceof RateLimitError) {
        return `Too many at once. Again in ${Math.ceil(error.retryAfterMs / 1000)} seconds.`;
      }
      throw error;
    }
  }

  /** How the day goes. */
  async today() {
    const { date, counts } = await this.#api.queues.get(this.#queueId);
    return `${date}: ${counts.waiting} waiting, ${counts.completed} served`;
  }
}
