/** IANA names without an area, separated by spaces. */
const plainNames =
  "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich " +
  "HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ " +
  "NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU " +
  "WET Zulu";

/** By their area: IANA's names for a zone that has another name too, of which engines list only one. */
const otherNames: Readonly<Record<string, string>> = {
  Africa: "Asmara Asmera Timbuktu",
  America:
    "Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba " +
    "Argentina/Jujuy Argentina/Mendoza Atikokan Atka Buenos_Aires Catamarca Coral_Harbour " +
    "Cordoba Ensenada Fort_Wayne Godthab Indiana/Indianapolis Indianapolis Jujuy " +
    "Kentucky/Louisville Knox_IN Louisville Mendoza Montreal Nipigon Nuuk Pangnirtung " +
    "Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock Thunder_Bay Virgin Yellowknife",
  Antarctica: "South_Pole",
  Asia:
    "Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul " +
    "Kashgar Kathmandu Katmandu Kolkata Macao Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang " +
    "Ulan_Bator Yangon",
  Atlantic: "Faeroe Faroe Jan_Mayen",
  Australia: "ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna",
  Brazil: "Acre DeNoronha East West",
  Canada: "Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon",
  Chile: "Continental EasterIsland",
  Etc:
    "GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 " +
    "GMT-0 GMT-1 GMT-10 GMT-11 GMT-12 GMT-13 GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 " +
    "GMT-9 GMT0 Greenwich UCT UTC Universal Zulu",
  Europe: "Belfast Kiev Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye",
  Mexico: "BajaNorte BajaSur General",
  Pacific: "Chuuk Enderbury Johnston Kanton Pohnpei Ponape Samoa Truk Yap",
  US:
    "Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan " +
    "Mountain Pacific Samoa",
};

const known = new Set([
  ...Intl.supportedValuesOf("timeZone"),
  ...plainNames.split(" "),
  ...Object.entries(otherNames).flatMap(([area, places]) =>
    places.split(" ").map((place) => `${area}/${place}`),
  ),
]);

/**
 * Whether a name is an IANA time zone, in IANA's spelling. `Intl` alone cannot tell: it ignores the case, which the
 * libraries of callers do not, and it knows names that IANA does not have, such as BST, the time of Bangladesh.
 */
export function isTimezone(name: string): boolean {
  if (!known.has(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false; // newer than the data of this engine
  }
}
