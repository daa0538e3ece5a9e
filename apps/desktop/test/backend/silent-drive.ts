import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { onTestFinished } from 'vitest';

/** A network drive that went away. */
export interface SilentDrive {
  /** What other threads were asked, in order. None of it is answered before the drive is back. */
  readonly asked: readonly string[];
  /** What the thread of the app asked: in truth, the app would freeze. */
  readonly blocked: readonly string[];
  /** Brings the drive back: it answers, late, everything that it was asked. */
  comeBack(): void;
}

type Call = (...input: unknown[]) => unknown;

/** Where the system says which drives there are. */
const MOUNTS = '/proc/self/mountinfo';

/** Makes a folder a drive of its own, which answers no question about what is on it until it comes back, or the test is over. */
export function silence(folder: string): SilentDrive {
  const asked: string[] = [];
  const blocked: string[] = [];
  const back = Promise.withResolvers<void>();
  const restores: (() => void)[] = [];
  const isThere = (path: unknown) => typeof path === 'string' && (path === folder || path.startsWith(folder + sep));

  const replace = (of: object, isIt: (name: string) => boolean, make: (name: string, call: Call) => Call): void => {
    for (const [name, call] of Object.entries(of) as [string, Call][]) {
      if (typeof call !== 'function' || !isIt(name)) continue;
      // Some have a way of their own: `realpathSync.native`.
      Reflect.set(of, name, Object.assign(make(name, call), call));
      restores.push(() => Reflect.set(of, name, call));
    }
  };
  const restore = (): void => {
    for (const undo of restores.splice(0).toReversed()) undo();
    syncBuiltinESMExports();
  };

  replace(
    promises,
    () => true,
    (name, call) =>
      (...input) => {
        if (!isThere(input[0])) return call(...input);
        asked.push(`${name} ${String(input[0])}`);
        return back.promise.then(() => call(...input));
      },
  );
  replace(
    fs,
    (name) => name.endsWith('Sync') || name === 'watch',
    (name, call) =>
      (...input) => {
        const answer = (): unknown => call(...input);
        if (name === 'readFileSync' && input[0] === MOUNTS) return `${String(answer())}${mountOf(folder)}\n`;
        if (!isThere(input[0])) return answer();
        blocked.push(`${name} ${String(input[0])}`);
        throw new Error(`${name} ${String(input[0])}: the app freezes`);
      },
  );
  syncBuiltinESMExports();
  onTestFinished(restore);
  return {
    asked,
    blocked,
    comeBack() {
      restore();
      back.resolve();
    },
  };
}

function mountOf(folder: string): string {
  const point = folder.replace(/[\\ ]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8)}`);
  return `99 1 0:99 / ${point} rw - nfs4 nas:/srv rw`;
}
