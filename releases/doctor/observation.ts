/** One observation of the doctor. */

export interface Observation {
  readonly check: string;
  /** `note`: worth knowing. `warning`: will be a fault some day. `fault`: something does not or will not work. */
  readonly state: "ok" | "note" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(check: string, detail: string): Observation {
  return { check, state: "ok", detail };
}

export function note(check: string, detail: string): Observation {
  return { check, state: "note", detail };
}

export function warning(check: string, detail: string, advice: string): Observation {
  return { check, state: "warning", detail, advice };
}

export function fault(check: string, detail: string, advice: string): Observation {
  return { check, state: "fault", detail, advice };
}
