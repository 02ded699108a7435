/** msw depends on ES modules; jest with CommonJS loads them once they are transformed. */
module.exports = {
  testMatch: ["**/*.check.cjs"],
  moduleFileExtensions: ["js", "mjs", "cjs", "json"],
  transform: { "\\.m?js$": "./to-commonjs.cjs" },
  transformIgnorePatterns: [
    "/node_modules/(?!(rettime|until-async|@open-draft)/)",
    "/testkit/dist/",
  ],
};
