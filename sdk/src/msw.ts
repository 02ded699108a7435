export { type Changes, fakes } from "./msw/fakes.js";
export {
  type AnswerBuilder,
  type AnswerOptions,
  type CreateOptions,
  type ErrorCodeOf,
  type ErrorOptions,
  type ListOptions,
  queueApiHandlers,
} from "./msw/handlers.js";
