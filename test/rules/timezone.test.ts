import { expect, test } from "vitest";
import { isTimezone } from "../../server/src/rules/timezone.ts";

test.each([
  ...["UTC", "EST", "EST5EDT", "NZ-CHAT", "US/Pacific", "Etc/GMT+12", "America/Port-au-Prince"],
  ...["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev", "Africa/Dar_es_Salaam"],
  ...["America/Argentina/Buenos_Aires", "America/Buenos_Aires", "Antarctica/McMurdo"],
])("%s is a time zone", (name) => {
  expect(isTimezone(name)).toBe(true);
});

test("every zone of this engine is a time zone", () => {
  expect(Intl.supportedValuesOf("timeZone").filter((name) => !isTimezone(name))).toEqual([]);
});

test.each([
  ...["", "+05:30", "Mars/Olympus", "Asia/Kolkata ", "../etc", "Factory"],
  // in another case, which this engine ignores and strict ones do not
  ...[
    "asia/kolkata",
    "Asia/kolkata",
    "ASIA/KOLKATA",
    "ASIA/CALCUTTA",
    "Asia/KOLKATA",
    "AsIa/Kolkata",
  ],
  ...["Utc", "utc", "GMt", "Us/Pacific", "US/PACIFIC", "ETC/GMT+1", "Etc/Gmt+1", "Est5Edt"],
  ...["America/Port-Au-Prince", "Africa/Dar_Es_Salaam", "Antarctica/Mcmurdo", "NZ-Chat"],
  ...["BST", "IST", "PST", "SystemV/PST8", "US/Pacific-New"], // names of ICU alone
])("%j is no time zone", (name) => {
  expect(isTimezone(name)).toBe(false);
});
