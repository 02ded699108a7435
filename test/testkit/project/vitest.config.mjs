export default { test: { globals: true, include: ["kiosk.check.mjs"] } };
