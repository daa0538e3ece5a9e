import type { DeployEvent } from '@berth/client';
import type { Deployment } from '@berth/contract';
import { expect, it } from 'vitest';
import { beginView, showEvent } from '../../src/render/deploy-view.ts';

const deployment = { files: 1200, size: 4_200_000 } as Deployment & { files: number };
const TOTAL_AMOUNT = { files: 1200, bytes: 4_200_000 };
const MISSING_AMOUNT = { files: 3, bytes: 40_000 };
const changes = { added: ['a', 'b'], changed: ['c'], removed: [], unchanged: 1197 };
const sentEvent = (bytes: number): DeployEvent => ({
  type: 'uploaded',
  done: { files: 1, bytes },
  total: MISSING_AMOUNT,
  sentBytes: bytes,
});

/** A deploy: each event with its time in milliseconds, the permanent lines in a log, and the status line on a screen. */
const DEPLOY: [at: number, event: DeployEvent, lines: string[], status: string][] = [
  [0, { type: 'walked', total: TOTAL_AMOUNT, skipped: [] }, [], ''],
  [
    50,
    { type: 'hashed', done: { files: 600, bytes: 2_100_000 }, total: TOTAL_AMOUNT, cached: { files: 0, bytes: 0 } },
    [],
    'Reading    ███████████████░░░░░░░░░░░░░░░  50 %  1,200 files',
  ],
  [
    100,
    { type: 'planned', via: 'delta', changes, missing: MISSING_AMOUNT },
    ['2 new, 1 changed, 1,197 unchanged; 40 kB to send.'],
    '',
  ],
  [200, sentEvent(0), [], 'Sending    ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 %  0 B of 40 kB'],
  [
    1100,
    sentEvent(10_000),
    ['Sent 25 %, 10 kB of 40 kB, 10 kB/s.'],
    'Sending    ████████░░░░░░░░░░░░░░░░░░░░░░  25 %  10 kB of 40 kB, 10 kB/s',
  ],
  [1200, sentEvent(12_000), [], 'Sending    █████████░░░░░░░░░░░░░░░░░░░░░  30 %  12 kB of 40 kB, 11 kB/s'],
  [
    1300,
    { type: 'retried', attempt: 1, waitMs: 2000, reason: 'the line broke\u001b[2J.' },
    ['the line broke\\u001b[2J. Trying again in 2 s.'],
    'the line broke\\u001b[2J. Trying again in 2 s.',
  ],
  [4100, sentEvent(40_000), [], 'Sending    ██████████████████████████████ 100 %  40 kB of 40 kB, 10 kB/s'],
  [4200, { type: 'committed', deployment: deployment as never }, ['Published 1,200 files, 4.2 MB, in 4.2 s.'], ''],
  [
    4300,
    { type: 'linked', domain: { domain: 'blog.example.com', status: 'success' } as never },
    ['blog.example.com points at the deployment.'],
    '',
  ],
];

it('a deploy is shown in a log as permanent lines, without a status line', () => {
  let view = beginView(0);
  for (const [at, event, lines] of DEPLOY) {
    const frame = showEvent(view, event, { at, columns: null });
    expect(frame).toMatchObject({ lines, status: '' });
    view = frame.view;
  }
});

it('a deploy is shown on a screen as the same lines and a status line', () => {
  let view = beginView(0);
  for (const [at, event, lines, status] of DEPLOY) {
    const frame = showEvent(view, event, { at, columns: 100 });
    expect(frame).toMatchObject({ lines: status === '' ? lines : [], status });
    view = frame.view;
  }
});

it('the first few skipped files of each reason are listed, without junk', () => {
  const skippedFiles = [
    { path: '.DS_Store', reason: 'junk' },
    { path: '.env', reason: 'private' },
    ...['a', 'b', 'c', 'd', 'e'].map((path) => ({ path: `drafts/${path}`, reason: 'ignored' })),
    { path: 'out', reason: 'link' },
  ];
  const event = { type: 'walked', total: TOTAL_AMOUNT, skipped: skippedFiles } as DeployEvent;
  expect(showEvent(beginView(0), event, { at: 0, columns: null }).lines).toEqual([
    'Skipped, private: .env.',
    'Skipped, ignored: drafts/a, drafts/b, drafts/c and 2 more.',
    'Skipped, links: out.',
  ]);
});
