import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { onTestFinished } from 'vitest';

/** A drive of the network that went away. */
export interface SilentDrive {
  /** What other threads were asked, in order. None of it was answered. */
  readonly asked: readonly string[];
  /** What the thread of the app asked by itself: in truth, the app would stand still for ever. */
  readonly blocked: readonly string[];
}

type Call = (...input: unknown[]) => unknown;

/** Lets the system answer no more question about a folder and what is in it, until the test is over. */
export function silence(folder: string): SilentDrive {
  const asked: string[] = [];
  const blocked: string[] = [];
  const isThere = (path: unknown) => typeof path === 'string' && (path === folder || path.startsWith(folder + sep));

  const replace = (of: object, isIt: (name: string) => boolean, instead: (question: string) => unknown): void => {
    for (const [name, call] of Object.entries(of) as [string, Call][]) {
      if (typeof call !== 'function' || !isIt(name)) continue;
      const silent: Call = (...input) => (isThere(input[0]) ? instead(`${name} ${String(input[0])}`) : call(...input));
      // Some have a way of their own: `realpathSync.native`.
      Reflect.set(of, name, Object.assign(silent, call));
      onTestFinished(() => {
        Reflect.set(of, name, call);
        syncBuiltinESMExports();
      });
    }
  };

  replace(
    promises,
    () => true,
    (question) => {
      asked.push(question);
      return new Promise(() => {});
    },
  );
  replace(
    fs,
    (name) => name.endsWith('Sync') || name === 'watch',
    (question) => {
      blocked.push(question);
      throw new Error(`${question}: the app stands still`);
    },
  );
  syncBuiltinESMExports();
  return { asked, blocked };
}
