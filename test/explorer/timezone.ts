/** The time zone of the business of every case. */
export const timezone = "Asia/Kolkata";
