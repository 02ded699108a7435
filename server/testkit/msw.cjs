// Deprecated: require `@queue-api/testkit/msw`.
module.exports = require("@queue-api/testkit/msw");
