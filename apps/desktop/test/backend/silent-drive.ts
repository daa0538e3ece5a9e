import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { onTestFinished } from 'vitest';

/** A network drive that does not respond. */
export interface SilentDrive {
  /** The calls that run in other threads, in order. No call returns until the drive is back. */
  readonly asked: readonly string[];
  /** The calls that block the main thread. On a real drive, these calls would freeze the app. */
  readonly blocked: readonly string[];
  /** Makes the drive respond again and finish all pending calls. */
  comeBack(): void;
}

type Call = (...input: unknown[]) => unknown;

/** The file in which the system lists its mounts. */
const MOUNTS = '/proc/self/mountinfo';

/** Turns a folder into a drive that does not respond until the test restores the drive or finishes. */
export function silence(folder: string): SilentDrive {
  const askedPaths: string[] = [];
  const blockedPaths: string[] = [];
  const back = Promise.withResolvers<void>();
  const restores: (() => void)[] = [];
  const isThere = (path: unknown) => typeof path === 'string' && (path === folder || path.startsWith(folder + sep));

  const replaceCalls = (
    of: object,
    isIt: (name: string) => boolean,
    make: (name: string, call: Call) => Call,
  ): void => {
    for (const [name, call] of Object.entries(of) as [string, Call][]) {
      if (typeof call !== 'function' || !isIt(name)) continue;
      // Copies the properties of the original functions, such as `realpathSync.native`.
      Reflect.set(of, name, Object.assign(make(name, call), call));
      restores.push(() => Reflect.set(of, name, call));
    }
  };
  const restore = (): void => {
    for (const restoreCall of restores.splice(0).toReversed()) restoreCall();
    syncBuiltinESMExports();
  };

  replaceCalls(
    promises,
    () => true,
    (name, call) =>
      (...input) => {
        if (!isThere(input[0])) return call(...input);
        askedPaths.push(`${name} ${String(input[0])}`);
        return back.promise.then(() => call(...input));
      },
  );
  replaceCalls(
    fs,
    (name) => name.endsWith('Sync') || name === 'watch',
    (name, call) =>
      (...input) => {
        const callDrive = (): unknown => call(...input);
        if (name === 'readFileSync' && input[0] === MOUNTS) return `${String(callDrive())}${mountOf(folder)}\n`;
        if (!isThere(input[0])) return callDrive();
        blockedPaths.push(`${name} ${String(input[0])}`);
        throw new Error(`${name} ${String(input[0])}: the app freezes`);
      },
  );
  syncBuiltinESMExports();
  onTestFinished(restore);
  return {
    asked: askedPaths,
    blocked: blockedPaths,
    comeBack() {
      restore();
      back.resolve();
    },
  };
}

function mountOf(folder: string): string {
  const mountPoint = folder.replace(/[\\ ]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8)}`);
  return `99 1 0:99 / ${mountPoint} rw - nfs4 nas:/srv rw`;
}
