export default { testMatch: ["**/*.check.js"], transform: {} };
