const ts = require("typescript");

/** Transforms an ES module to CommonJS, like babel-jest, ts-jest and @swc/jest. */
module.exports = {
  process: (source) => ({
    code: ts.transpileModule(source, { compilerOptions: { module: "commonjs", target: "es2023" } })
      .outputText,
  }),
};
