/** Figures as they are published: four decimals, halves up; nothing for what is no number. */
export function rounded(value: number): number | null {
  const scaled = Math.floor(value * 10_000 + 0.5);
  // A zero has no sign.
  return Number.isFinite(scaled) ? scaled / 10_000 + 0 : null;
}
