/**
 * Sets the clock of a command back by SHARE_TEST_DAYS_AGO days. Tests preload this module into the command (`node --import`).
 */

const shift = Number(process.env.SHARE_TEST_DAYS_AGO ?? 0) * 86_400_000;
const now = Date.now.bind(Date);

globalThis.Date = new Proxy(Date, {
  construct: (target, values, self) =>
    Reflect.construct(target, values.length === 0 ? [now() - shift] : values, self === globalThis.Date ? target : self),
  get: (target, name) => (name === "now" ? () => now() - shift : Reflect.get(target, name)),
});
