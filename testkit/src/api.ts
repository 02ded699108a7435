/*
 * The types of the API. Both packages use those that are made from the contract's routes. The build copies them into
 * the declarations of the kit, which import no other package than msw.
 */
export type * from "../../sdk/src/generated/types.js";
