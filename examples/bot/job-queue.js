/** Runs jobs one after the other. A job that fails for a while goes back to the end of the line. */
export class JobQueue {
  #jobs = [];
  #running = false;
  #work;
  #retryAfter;

  /**
   * @param work - Does a job.
   * @param retryAfter - How long to wait after an error, in milliseconds; null if the job is not to be repeated.
   */
  constructor(work, retryAfter) {
    this.#work = work;
    this.#retryAfter = retryAfter;
  }

  add(job) {
    this.#jobs.push(job);
    if (!this.#running) this.#run();
  }

  async #run() {
    this.#running = true;
    while (this.#jobs.length > 0) {
      const job = this.#jobs.shift();
      try {
        await this.#work(job);
      } catch (error) {
        const waitMs = this.#retryAfter(error);
        if (waitMs === null) console.error(error);
        else {
          this.#jobs.push(job);
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        }
      }
    }
    this.#running = false;
  }
}
