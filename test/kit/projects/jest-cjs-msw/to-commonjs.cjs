const ts = require("typescript");

/** What a project's own transformer (babel-jest, ts-jest, @swc/jest) does to an ES module. */
module.exports = {
  process: (source) => ({
    code: ts.transpileModule(source, { compilerOptions: { module: "commonjs", target: "es2023" } })
      .outputText,
  }),
};
