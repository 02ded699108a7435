module.exports = { testMatch: ["**/*.check.cjs"], moduleFileExtensions: ["js", "cjs", "json"] };
