// Preloaded into every process of the service: shifts its wall clock by the milliseconds in the file TORTURE_CLOCK.
import { readFileSync } from 'node:fs';

const POLL_MS = 50;
const file = process.env['TORTURE_CLOCK'];

if (file !== undefined) {
  const readOffset = () => Number(readFileSync(file, 'utf8'));
  let offsetMs = readOffset();
  setInterval(() => (offsetMs = readOffset()), POLL_MS).unref();
  const RealDate = Date;
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
  });
}
