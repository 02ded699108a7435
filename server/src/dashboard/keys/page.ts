import type { Page } from "../page.js";
import { askToRevoke, changeKey, createKey, revokeKey, showKey, showNewKey } from "./edit.js";
import { askToSwitchOff, showKeys, switchAccess } from "./overview.js";
import { askToRotate, rotateKey, showRotation } from "./rotate.js";

/** Who may use the API: keys, and the access switch of the business. */
export const keys: Page = {
  path: "/keys",
  title: "Keys",
  addRoutes: (router, deps) => {
    router.get("/keys", showKeys(deps));
    router.post("/keys", createKey(deps));
    router.get("/keys/new", showNewKey(deps));
    router.get("/keys/access", askToSwitchOff(deps));
    router.post("/keys/access", switchAccess(deps));
    router.get("/keys/:keyId", showKey(deps));
    router.post("/keys/:keyId", changeKey(deps));
    router.get("/keys/:keyId/revoke", askToRevoke(deps));
    router.post("/keys/:keyId/revoke", revokeKey(deps));
    router.get("/keys/:keyId/rotate", askToRotate(deps));
    router.post("/keys/:keyId/rotate", rotateKey(deps));
    router.get("/keys/:keyId/rotate/:newKeyId", showRotation(deps));
  },
};
