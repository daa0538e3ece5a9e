import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a folder with files that is deleted after the test. */
export function makeFolder(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

/** Writes files into a folder, with file times of one minute ago. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    const minuteAgo = new Date(Date.now() - 60_000);
    utimesSync(path, minuteAgo, minuteAgo);
  }
}

/** Collects everything that a generator yields, and its result. */
export async function collectEvents<E, R>(
  events: AsyncGenerator<E, R, undefined>,
): Promise<{ events: E[]; result: R }> {
  const allEvents: E[] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { events: allEvents, result: value as R };
    allEvents.push(value as E);
  }
}
