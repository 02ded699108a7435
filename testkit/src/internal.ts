/* The bundle: what the package exports, and what the tests of this project use beside it. */
export * from "./index.js";
export { startMock } from "./mock.js";
