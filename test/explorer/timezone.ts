/** Where the business of every case is. */
export const timezone = "Asia/Kolkata";
