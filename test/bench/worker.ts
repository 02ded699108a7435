/** Answers the questions of the parent process, one at a time. A failure ends the process, and so does the parent's end. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void {
  process.on("message", async (question: Question) => process.send?.(await answer(question)));
  process.on("disconnect", () => process.exit());
}
