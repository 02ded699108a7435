export default {
  build: { ssr: "program.mjs", outDir: process.env.OUT, target: "node20" },
  ssr: { noExternal: process.env.WHOLE === "yes" ? true : [] },
  logLevel: "warn",
};
