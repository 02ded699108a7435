/** msw depends on ES modules. Jest with CommonJS can load them only after a transformation. */
module.exports = {
  testMatch: ["**/*.check.?(c|m)js"],
  moduleFileExtensions: ["js", "mjs", "cjs", "json"],
  transform: { "\\.m?js$": "./to-commonjs.cjs" },
  transformIgnorePatterns: ["/node_modules/(?!(rettime|until-async|@open-draft)/)"],
};
