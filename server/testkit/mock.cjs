// Deprecated: require `@queue-api/testkit`.
module.exports = require("@queue-api/testkit");
