import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The newest major of Electron that is stable. What moves the versions of packages moves this, too. */
const NEWEST_MAJOR = 45;

/** How many majors get the fixes of Chromium. */
const SUPPORTED_MAJORS = 3;

it('is built on a major of Electron that gets fixes (desktop §6)', () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    devDependencies: { electron: string };
  };
  expect(devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Number.parseInt(devDependencies.electron, 10)).toBeGreaterThan(NEWEST_MAJOR - SUPPORTED_MAJORS);
});
