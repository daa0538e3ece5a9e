import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS, EVENTS } from '../../src/shared/channels.ts';

/** Runs the preload with a recording fake of `electron`, and uses its API like a page. */
function tried(): Record<string, unknown> {
  const program = join(import.meta.dirname, 'program');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', join(program, 'preload-hooks.ts'), join(program, 'preload-run.ts')],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toStrictEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

it('exposes one function for each command and event, passes data without the event object, and returns errors as values (desktop §6)', () => {
  expect(tried()).toStrictEqual({
    exposed: ['desktop'],
    parts: ['commands', 'events', 'grant'],
    commands: COMMANDS,
    events: EVENTS,
    invoked: ['berth:copy', { text: 'a' }],
    // A listener gets only the data of the event.
    received: [[{ page: 'sites' }]],
    receivedAfterwards: 1,
    granted: ['berth:grant', ['/home/me/site']],
    tooMany: { ok: false, kind: 'refused', asked: false },
    unanswered: { ok: false, kind: 'unexpected' },
    notFiles: { ok: true, value: null },
  });
});
