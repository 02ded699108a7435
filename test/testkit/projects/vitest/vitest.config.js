export default { test: { include: ["**/*.check.js"] } };
