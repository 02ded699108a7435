export default {
  testMatch: ["**/kiosk.check.mjs"],
  transform: {},
  moduleFileExtensions: ["js", "mjs"],
};
