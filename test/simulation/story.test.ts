import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SeenAppointment } from "../../server/src/simulation/appointments.ts";
import type { SeenGuest } from "../../server/src/simulation/stations.ts";
import { dayLength, wallTime } from "../../server/src/simulation/story-time.ts";
import { desk, doctor, guestOf, isAppointment, Playing, played } from "./playing.ts";

const minute = 60_000;
const seeds = fc.nat({ max: 2 ** 31 - 1 });
const few = { numRuns: 25, seed: 20_261_121 };

describe("a story", () => {
  test("is the same for the same seed, including every name and minute", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(played({ seed }, 6)).toEqual(played({ seed }, 6));
      }),
      few,
    );
  });

  test("is different for another seed", () => {
    const names = (seed: number) =>
      played({ seed }, 3).flatMap((one) => (one.kind === "arrive" ? [one.person.name] : []));
    expect(names(1)).not.toEqual(names(2));
  });

  test("brings each person to exactly one final status, by valid transitions", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const playing = new Playing({ seed });
        const kinds = new Map<string, string[]>();
        for (const moment of playing.until(20 * 60)) {
          if (moment.kind === "arrive") kinds.set(`entry-${moment.token}`, []);
          const ref = guestOf(moment)?.ref;
          if (ref) kinds.get(ref)?.push(moment.kind);
        }
        const present = [doctor, desk].flatMap(({ id }) => playing.story.present(id));
        expect(kinds.size).toBeGreaterThan(100);
        for (const [ref, way] of kinds) {
          const over = ["call,complete", "no-show", "give-up"];
          const stillThere = ["", "call"];
          expect(present.includes(ref) ? stillThere : over).toContain(way.join());
        }
      }),
      few,
    );
  });

  test("calls people after they have arrived, in the order of the line", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const line = new Map<string, string[]>([doctor, desk].map(({ id }) => [id, []]));
        for (const moment of played({ seed }, 12)) {
          if (moment.kind === "arrive") {
            line.get(moment.queueId)?.push(`entry-${moment.token}`);
            continue;
          }
          const guest = guestOf(moment);
          const waiting = line.get(guest?.queueId ?? "");
          if (!guest || !waiting || moment.kind === "complete") continue;
          if (moment.kind === "give-up") expect(waiting).toContain(guest.ref);
          else expect(waiting[0]).toBe(guest.ref);
          line.set(
            guest.queueId,
            waiting.filter((ref) => ref !== guest.ref),
          );
        }
      }),
      few,
    );
  });

  test("serves one person at a time in each queue", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const serving = new Map<string, number>();
        for (const moment of played({ seed }, 12)) {
          const queueId = guestOf(moment)?.queueId ?? "";
          const change = { call: 1, complete: -1 }[moment.kind as string] ?? 0;
          serving.set(queueId, (serving.get(queueId) ?? 0) + change);
          expect(serving.get(queueId)).toBeLessThanOrEqual(1);
        }
      }),
      few,
    );
  });

  test("keeps every line within bounds, and removes finished people from memory", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const playing = new Playing({ seed });
        for (let day = 1; day <= 20; day++) {
          for (const { waiting } of playing.until((day * dayLength) / minute)) {
            expect(waiting ?? 0).toBeLessThanOrEqual(12);
          }
          playing.moments.length = 0;
          expect(playing.story.size).toBeLessThan(60);
        }
      }),
      { ...few, numRuns: 5 },
    );
  });

  test("rarely leaves a queue empty", () => {
    const playing = new Playing({ seed: 7 });
    let empty = 0;
    let samples = 0;
    for (let at = 30; at <= 10 * 720; at += 5) {
      playing.until(at);
      samples += 1;
      if ([doctor, desk].every(({ id }) => playing.story.present(id).length === 0)) empty += 1;
    }
    expect(empty / samples).toBeLessThan(0.01);
  });

  test("is busier in the peak hours", () => {
    const arrivals = new Map<number, number>();
    for (const moment of played({ seed: 3 }, 12 * 30)) {
      if (moment.kind !== "arrive") continue;
      const hour = Number(wallTime(moment.at).time.slice(0, 2));
      arrivals.set(hour, (arrivals.get(hour) ?? 0) + 1);
    }
    const mean = (...hours: number[]) =>
      hours.reduce((sum, hour) => sum + (arrivals.get(hour) ?? 0), 0) / hours.length;
    expect(mean(10, 11, 18)).toBeGreaterThan(1.4 * mean(14, 15));
  });

  test("has people who cancel, who do not show up, and who are served; most are served", () => {
    const kinds = played({ seed: 5 }, 12 * 10).map(({ kind }) => kind);
    const count = (kind: (typeof kinds)[number]) => kinds.filter((one) => one === kind).length;
    expect(count("complete") / count("arrive")).toBeGreaterThan(0.75);
    for (const kind of ["give-up", "no-show"] as const) {
      expect(count(kind) / count("arrive")).toBeGreaterThan(0.02);
      expect(count(kind) / count("arrive")).toBeLessThan(0.15);
    }
  });

  test("starts within a minute, with a person in each queue", () => {
    const queueIds = played({ seed: 11 }, 1 / 60).flatMap((one) =>
      one.kind === "arrive" ? [one.queueId] : [],
    );
    expect(new Set(queueIds)).toEqual(new Set([doctor.id, desk.id]));
  });

  test("uses only fictional phone numbers and active services", () => {
    for (const moment of played({ seed: 13 }, 24)) {
      if (moment.kind !== "arrive") continue;
      expect(moment.person.phone).toMatch(/^\+91 98000 00\d{3}$/);
      const { offers } = moment.queueId === doctor.id ? doctor : desk;
      expect(offers.map(({ serviceId }) => serviceId)).toContain(moment.person.serviceId);
    }
  });
});

describe("people whom others have added", () => {
  const stranger = (token: string, status: SeenGuest["status"]): SeenGuest => ({
    ref: `stranger-${token}`,
    token,
    status,
    minutes: 10,
  });

  /** A story after its first check, without arrivals. */
  function quiet(seen: readonly SeenGuest[]) {
    const playing = new Playing({ queues: [{ ...doctor, open: false }] });
    playing.step();
    playing.story.seeLine(doctor.id, seen);
    return playing;
  }

  const actions = (playing: Playing, minutes: number) =>
    playing.until(minutes).map((moment) => `${moment.kind} ${guestOf(moment)?.token}`);

  test("are served in the order of the line, after the person in service", () => {
    const playing = quiet([
      stranger("A2", "IN_SERVICE"),
      stranger("A9", "WAITING"),
      stranger("A3", "WAITING"),
    ]);
    expect(actions(playing, 90)).toEqual([
      "complete A2",
      "call A9",
      "complete A9",
      "call A3",
      "complete A3",
    ]);
  });

  test("are removed when they have been served by others or have left", () => {
    const playing = quiet([stranger("A1", "WAITING"), stranger("A2", "WAITING")]);
    playing.story.seeLine(doctor.id, [stranger("A2", "WAITING")]);
    expect(actions(playing, 60)).toEqual(["call A2", "complete A2"]);
  });

  test("are completed when others have called them", () => {
    const playing = quiet([stranger("A1", "WAITING")]);
    playing.story.seeLine(doctor.id, [stranger("A1", "IN_SERVICE")]);
    expect(actions(playing, 60)).toEqual(["complete A1"]);
  });

  test("do not change the other arrivals", () => {
    const people = (seen: readonly SeenGuest[]) => {
      const playing = new Playing({ queues: [doctor] });
      playing.step();
      playing.story.seeLine(doctor.id, seen);
      playing.until(600);
      return playing.moments.flatMap((one) => (one.kind === "arrive" ? [one.person] : []));
    };
    const alone = new Set(people([]).map(({ name }) => name));
    const crowded = people([stranger("A1", "WAITING"), stranger("A2", "WAITING")]);
    const shared = crowded.filter(({ name }) => alone.has(name));
    expect(shared.length / crowded.length).toBeGreaterThan(0.6); // some do not join a longer line; the others are the same
  });
});

describe("a world with failures", () => {
  test("a closed queue gets no arrivals until it is open again", () => {
    const playing = new Playing({ queues: [doctor, { ...desk, open: false }] });
    const arrivals = (minutes: number) =>
      new Set(
        playing.until(minutes).flatMap((one) => (one.kind === "arrive" ? [one.queueId] : [])),
      );
    expect(arrivals(300)).toEqual(new Set([doctor.id]));
    playing.queues = [doctor, desk];
    expect(arrivals(600)).toEqual(new Set([doctor.id, desk.id]));
  });

  test("a queue that refused an arrival gets none until the next check", () => {
    const playing = new Playing({ queues: [doctor] });
    playing.until(100);
    playing.story.turnAway(doctor.id);
    playing.queues = [{ ...doctor, open: false }];
    const later = playing.until(400).filter(({ kind }) => kind === "arrive");
    expect(later).toEqual([]);
  });

  test("a person who is missing from the line is served after they reappear", () => {
    const playing = new Playing({ queues: [doctor] });
    let called = playing.step();
    while (called?.kind !== "call") called = playing.step();
    const guest = guestOf(called);
    if (!guest) throw new Error("a call is of somebody");
    playing.story.lose(guest);
    expect(playing.story.present(doctor.id)).not.toContain(guest.ref);
    const { ref, token } = guest;
    playing.story.seeLine(doctor.id, [{ ref, token, status: "IN_SERVICE", minutes: 5 }]);
    const later = playing.until(playing.story.now / minute + 60);
    expect(later.some((one) => one.kind === "complete" && guestOf(one)?.ref === ref)).toBe(true);
  });
});

describe("appointments", () => {
  const at = (slotTime: string, status: SeenAppointment["status"] = "CONFIRMED") => ({
    ref: `appointment-${slotTime}`,
    slotTime,
    durationMinutes: 15,
    status,
  });
  const day = ["09:30", "10:00", "11:15", "12:00", "15:30", "16:00", "18:45", "20:00"].map((slot) =>
    at(slot),
  );
  const moves = (seed: number) => played({ seed, appointments: day }, 13).filter(isAppointment);

  test("are kept, missed or cancelled, each by one of three sequences of statuses", () => {
    const ways = new Set<string>();
    fc.assert(
      fc.property(seeds, (seed) => {
        const appointmentMoves = moves(seed);
        for (const { ref } of day) {
          const steps = appointmentMoves.filter((move) => move.ref === ref).map(({ to }) => to);
          const way = ["CONFIRMED", ...steps].join(" ");
          expect([
            "CONFIRMED CHECKED_IN IN_SERVICE COMPLETED",
            "CONFIRMED NO_SHOW",
            "CONFIRMED CANCELLED",
          ]).toContain(way);
          ways.add(way);
        }
      }),
      few,
    );
    expect(ways.size).toBe(3);
  });

  test("start at their time or later, and are missed only after it", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { to, slotTime, at } of moves(seed)) {
          const { time, day } = wallTime(at);
          if (to === "IN_SERVICE" || to === "NO_SHOW")
            expect(day > 1 || time >= slotTime).toBe(true);
        }
      }),
      few,
    );
  });

  test("delay their queue", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        let busy = 0;
        for (const moment of played({ seed, appointments: day }, 13)) {
          if (guestOf(moment)?.queueId === desk.id) continue;
          const step = isAppointment(moment) ? moment.to : moment.kind;
          busy += { call: 1, IN_SERVICE: 1, complete: -1, COMPLETED: -1 }[step as string] ?? 0;
          expect(busy).toBeLessThanOrEqual(1);
        }
      }),
      few,
    );
  });

  test("that are finished do not change, and those in progress are completed", () => {
    const seen = [
      at("09:30", "COMPLETED"),
      at("10:00", "NO_SHOW"),
      at("10:30", "CANCELLED"),
      at("11:00", "IN_SERVICE"),
      at("11:30", "CHECKED_IN"),
    ];
    const steps = played({ appointments: seen }, 13)
      .filter(isAppointment)
      .map(({ slotTime, to }) => `${slotTime} ${to}`);
    expect(steps).toEqual(["11:00 COMPLETED", "11:30 IN_SERVICE", "11:30 COMPLETED"]);
  });

  test("that others have changed do not change again", () => {
    const playing = new Playing({ queues: [doctor], appointments: day });
    let move = playing.step();
    while (!move || !isAppointment(move)) move = playing.step();
    playing.story.loseAppointment(move.ref);
    const { ref } = move;
    const later = playing.until(720).filter(isAppointment);
    expect(later.length).toBeGreaterThan(0);
    expect(later.map((one) => one.ref)).not.toContain(ref);
  });
});
