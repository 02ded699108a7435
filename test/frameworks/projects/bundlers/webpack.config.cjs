module.exports = {
  mode: "production",
  target: "node20",
  entry: "./program.mjs",
  output: {
    path: `${__dirname}/webpack`,
    filename: "out.mjs",
    module: true,
    chunkFormat: "module",
  },
  experiments: { outputModule: true },
};
