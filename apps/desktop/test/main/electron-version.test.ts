import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The newest stable major version of Electron. Update it together with the versions of packages. */
const NEWEST_MAJOR = 45;

/** The number of major versions that get Chromium's security fixes. */
const SUPPORTED_MAJORS = 3;

it('the app uses a major version of Electron that gets security fixes (desktop §6)', () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    devDependencies: { electron: string };
  };
  expect(devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Number.parseInt(devDependencies.electron, 10)).toBeGreaterThan(NEWEST_MAJOR - SUPPORTED_MAJORS);
});
