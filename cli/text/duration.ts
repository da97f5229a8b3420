/** A length of time for people: its two largest units, rounded up to whole seconds. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)}m${whole % 60}s`
    : `${Math.floor(whole / 3600)}h${Math.floor((whole % 3600) / 60)}m`;
}
