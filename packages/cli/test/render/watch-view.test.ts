import { ClientError, type WatchEvent } from '@berth/client';
import { expect, it } from 'vitest';
import { beginWatchView, showWatchEvent } from '../../src/render/watch-view.ts';

const walkedEvent = (path: string) =>
  ({ type: 'walked', total: { files: 1, bytes: 1 }, skipped: [{ path, reason: 'private' }] }) as WatchEvent;

const WATCH: [event: WatchEvent, lines: string[], status: string][] = [
  [
    { type: 'watching', folder: '/site/dist', domain: 'blog.example.com' },
    ['Watching /site/dist, each deploy goes to blog.example.com. Press Ctrl-C to stop.'],
    '',
  ],
  [
    { type: 'watching', folder: '/site/dist', domain: null },
    ['Watching /site/dist, each deploy has its own link. Press Ctrl-C to stop.'],
    '',
  ],
  [walkedEvent('.env'), ['Skipped, private: .env.'], ''],
  [{ type: 'settling' }, [], 'The folder is changing …'],
  [walkedEvent('.env'), [], ''],
  [walkedEvent('.env.local'), ['Skipped, private: .env.local.'], ''],
  [{ type: 'unchanged' }, ['The live deployment is up to date.'], ''],
  [{ type: 'missing', reason: 'gone' }, ['The folder does not exist. The live deployment stays.'], ''],
  [{ type: 'missing', reason: 'empty' }, ['The folder is empty. The live deployment stays.'], ''],
  [
    { type: 'missing', reason: 'no-front-page' },
    ['The folder no longer has an index.html. The live deployment stays.'],
    '',
  ],
  [
    {
      type: 'failed',
      error: new ClientError('network', 'localhost:4000 cannot be reached.'),
      waitMs: 4000,
      during: 'publish',
    },
    ['localhost:4000 cannot be reached. Trying again in 4 s.'],
    '',
  ],
  [
    { type: 'failed', error: new ClientError('refused', 'It is too big'), waitMs: null, during: 'publish' },
    ['It is too big. Trying again when the folder changes.'],
    '',
  ],
  [
    {
      type: 'failed',
      error: new ClientError('signed-out', 'A deploy token can only deploy.'),
      waitMs: null,
      during: 'prune',
    },
    ['A deploy token can only deploy. Old deployments were not deleted.'],
    '',
  ],
  [{ type: 'pruned', deployments: ['a', 'b'] }, ['Deleted 2 old deployments.'], ''],
  [
    { type: 'polling', everyMs: 2000, reason: 'The limit of watches is reached.' },
    ['The limit of watches is reached. berth checks the folder every 2 s instead.'],
    '',
  ],
];

it('a watch is shown line by line, and skipped files are listed again only if they differ', () => {
  let view = beginWatchView(0);
  for (const [event, lines, status] of WATCH) {
    const frame = showWatchEvent(view, event, { at: 0, columns: null });
    expect(frame).toMatchObject({ lines, status });
    view = frame.view;
  }
});
