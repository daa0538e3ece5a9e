import { once } from 'node:events';
import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import {
  buildApp,
  compileMain,
  folderCard,
  goTo,
  launchBrowser,
  linkOn,
  nameFolder,
  publishingCard,
  startDesktop,
  startMainChild,
} from '@berth/desktop/testing';
import { API_KEY, heading, startBerth } from '../processes.ts';
import { changeSite, writeSite } from './folder.ts';
import { processorTimes } from './processor-times.ts';
import { publishWithNode } from './plain-node.ts';
import { watchBusy } from './longest-task.ts';

const DOMAIN = 'bench-desktop';
const MIB = 1_024 ** 2;
const GOAL_LINK_MS = 2_000;
const GOAL_TASK_MS = 50;
const GOAL_STALL_MS = 50;
const GOAL_BYTES = 200 * MIB;
const TIMEOUT_MS = 120_000;

/** The measurements of one step, in milliseconds. */
interface Step {
  label: string;
  ms: number;
  /** The longest task in the window. `gap` is the longest interval between timer ticks there. */
  task: number;
  gap: number;
  /** The longest interval between timer ticks in the main thread of the main process. */
  stall: number;
  /** The processor time of the main process, all threads, and of the browser with the window. */
  processor: { app: number; window: number };
}

const home = await mkdtemp(join(tmpdir(), 'berth-bench-'));
const berth = await startBerth();
const dist = join(home, 'window');
const [browser] = await Promise.all([launchBrowser(), buildApp(dist, ['preload', 'renderer'])]);
const program = await compileMain(join(home, 'main'));
const desktop = await startDesktop(
  // Without overrides, the watch uses the times of the app.
  { home, server: `http://localhost:${berth.port}`, key: API_KEY, browser, dist, watchRule: {} },
  (options) => startMainChild(options, program),
);
try {
  const { main, page } = desktop;
  page.setDefaultTimeout(TIMEOUT_MS);
  const folder = join(home, 'site');
  const bytes = writeSite(folder);
  writeSite(join(home, 'plain'));
  const { maxRss: startRss } = await main.measure();
  const readBusy = await watchBusy(page);

  const measureStep = async (label: string, work: () => Promise<unknown>): Promise<Step> => {
    await Promise.all([readBusy(), main.measure()]);
    const before = processorTimes();
    const startedMs = performance.now();
    await work();
    const ms = performance.now() - startedMs;
    const after = processorTimes();
    const { task, gap } = await readBusy();
    const processor = { app: after.app - before.app, window: after.window - before.window };
    return { label, ms, task, gap, stall: (await main.measure()).longestStallMs, processor };
  };

  const dropStep = await measureStep('dropped for the first time: from the drop to the link', async () => {
    await desktop.drop(folder);
    await untilShown(page, 'Drops', 'Published');
  });
  const plain = await publishWithNode({
    folder: join(home, 'plain'),
    cacheDir: join(home, 'plain-cache'),
    port: berth.port,
  });
  await publishingCard(page, 'site').getByRole('button', { name: 'Watch this folder…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Watch site' });
  await nameFolder(dialog, DOMAIN);
  const watch = await measureStep('watched from then on: from the click to its address', async () => {
    await dialog.getByRole('button', { name: 'Watch and publish' }).click();
    await untilShown(page, 'Watched folders', 'Up to date');
  });
  await goTo(page, 'Folders');
  const address = new URL(await linkOn(folderCard(page, 'site')));
  const changeStep = await measureStep(
    'one file changed: until its new content is at the address, the quiet period included',
    async () => {
      const path = changeSite(folder, 'new content');
      while ((await read(address, path)) !== 'new content');
      await untilShown(page, 'Watched folders', 'Up to date');
    },
  );
  const unchangedDrop = await measureStep('dropped again, unchanged', async () => {
    await goTo(page, 'Publish');
    await desktop.drop(folder);
    await page.getByRole('list', { name: 'Drops' }).getByRole('article').nth(1).waitFor();
    // The app asks whether the folder updates its site or gets a new link.
    await publishingCard(page, 'site').first().getByRole('button', { name: 'New link' }).click();
    await untilShown(page, 'Drops', 'Published');
  });

  const steps = [dropStep, watch, changeStep, unchangedDrop];
  const { maxRss } = await main.measure();
  console.log(heading(`10,000 files in 100 folders, ${(bytes / MIB).toFixed(0)} MiB, one run`));
  console.log(
    '| a folder of 10,000 files | time | window: longest task | without a timer | main process: without a timer | processor time of the main process | of the window |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const { label, ms, task, gap, stall, processor } of steps)
    console.log(
      `| ${label} | ${[ms, task, gap, stall, processor.app, processor.window].map((value) => `${value.toFixed(0)} ms`).join(' | ')} |`,
    );
  console.log(
    `\nPlain Node publishes as many files in ${plain.ms.toFixed(0)} ms, with ${plain.processorMs.toFixed(0)} ms of processor time and ${(plain.maxRss / MIB).toFixed(0)} MiB. The drop takes ${(dropStep.ms / plain.ms).toFixed(2)} times as long.`,
  );
  const longestTask = Math.max(...steps.map(({ task }) => task));
  console.log('\n| desktop | measured | goal | |\n|---|---|---|---|');
  const longestStall = Math.max(...steps.map(({ stall }) => stall));
  row(
    'from the first drop to the link',
    `${dropStep.ms.toFixed(0)} ms`,
    `under ${GOAL_LINK_MS} ms`,
    dropStep.ms < GOAL_LINK_MS,
  );
  row(
    'longest time without a timer in the main thread',
    `${longestStall.toFixed(0)} ms`,
    `none over ${GOAL_STALL_MS} ms`,
    longestStall <= GOAL_STALL_MS,
  );
  row(
    'longest task of the window',
    `${longestTask.toFixed(0)} ms`,
    `none over ${GOAL_TASK_MS} ms`,
    longestTask <= GOAL_TASK_MS,
  );
  row(
    'most memory of the main process, all threads',
    `${(maxRss / MIB).toFixed(0)} MiB (${(startRss / MIB).toFixed(0)} MiB when it had started)`,
    `under ${GOAL_BYTES / MIB} MiB`,
    maxRss < GOAL_BYTES,
  );
} finally {
  await desktop.quit();
  await Promise.all([browser.close(), berth.stop()]);
  await rm(home, { recursive: true, force: true });
}

function row(label: string, measured: string, goal: string, isMet: boolean): void {
  console.log(`| ${label} | ${measured} | ${goal} | ${isMet ? 'met' : 'MISSED'} |`);
}

/** Waits until the first card of a list shows a text. Looks only when the page changes, because polling would cost the window time. */
async function untilShown(page: Page, list: string, text: string): Promise<void> {
  await page.evaluate(
    ([list, text]) =>
      new Promise<void>((resolve) => {
        const observer = new MutationObserver(check);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        check();
        function check(): void {
          if (!document.querySelector(`[aria-label="${list}"] article`)?.textContent.includes(text!)) return;
          observer.disconnect();
          resolve();
        }
      }),
    [list, text],
  );
}

/** Returns a file of a site as visitors get it. */
async function read({ host, port }: URL, path: string): Promise<string> {
  const req = request({ host: '127.0.0.1', port, path: `/${path}`, headers: { Host: host } }).end();
  const [res] = await once(req, 'response');
  let text = '';
  for await (const piece of res.setEncoding('utf8')) text += piece;
  return text;
}
