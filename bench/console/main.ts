import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { launchBrowser } from '@berth/testing/browser';
import { buildChangedConsole } from '@berth/web/build';
import type { Page } from 'playwright-core';
import { changeSite, writeSite } from '../desktop/folder.ts';
import { watchBusy } from '../desktop/longest-task.ts';
import { heading, OWN_TREE, startBerth } from '../processes.ts';

const MIB = 1_024 ** 2;
/** The server takes no file of a whole GiB. Memory that is steady is the same for all of them. */
const LARGE_FILES_MIB = [127, 255, 511, 1_023];
const TIMEOUT_MS = 300_000;
const SAMPLE_MS = 200;

// Browsers give no handles of folders in `/dev`.
const work = await mkdtemp('/tmp/berth-bench-console-');
await buildChangedConsole();
const berth = await startBerth({ DATA_DIR: join(work, 'data') });
const browser = await launchBrowser();
try {
  const page = await openSignedIn();
  const folder = join(work, 'site');
  writeSite(folder);
  console.log(heading('10,000 files in 100 folders of 1 to 20 KB, one run'));
  console.log(
    '| 10,000 files | time | longest task of the page | without a timer | goal | |\n|---|---|---|---|---|---|',
  );
  await measure('dropped as a directory handle', 100, () => drop(page, folder), 'site');
  changeSite(folder, 'new content');
  const sent = countBodies(page);
  await measure('dropped again, one file changed', 100, () => drop(page, folder), 'site');
  const bodies = sent();
  // As in browsers without handles.
  await page.addInitScript(() => Reflect.deleteProperty(DataTransferItem.prototype, 'getAsFileSystemHandle'));
  await page.reload();
  await measure('dropped as a list', 250, () => drop(page, folder), 'site');
  console.log(`\nOne changed file: ${bodies} request body.`);
  await measureLargeFiles(page);
} finally {
  await browser.close();
  await berth.stop();
  await rm(work, { recursive: true, force: true });
}

async function measure(label: string, goalMs: number, start: () => Promise<void>, name: string): Promise<void> {
  const page = browser.contexts()[0]!.pages()[0]!;
  const before = await publishedCount(page, name);
  const readBusy = await watchBusy(page);
  await readBusy();
  const startedMs = performance.now();
  await start();
  await page.waitForFunction(
    ({ name, before }) =>
      [...document.querySelectorAll(`article[aria-label="${name}"]`)].filter((card) =>
        card.textContent.includes('Published'),
      ).length > before,
    { name, before },
    { timeout: TIMEOUT_MS, polling: 50 },
  );
  const ms = performance.now() - startedMs;
  const { task, gap } = await readBusy();
  const isMet = gap <= goalMs ? 'met' : 'MISSED';
  console.log(
    `| ${label} | ${ms.toFixed(0)} ms | ${task.toFixed(0)} ms | ${gap.toFixed(0)} ms | none over ${goalMs} ms | ${isMet} |`,
  );
}

/** Publishes files of several sizes, and measures the memory of all processes of the browser meanwhile. */
async function measureLargeFiles(page: Page): Promise<void> {
  console.log(heading('one file beside a small page, one run each'));
  console.log(
    '| a large file | time | longest task of the page | without a timer | goal | |\n|---|---|---|---|---|---|',
  );
  const lines: string[] = [];
  for (const mib of LARGE_FILES_MIB) {
    const name = `large-${mib}`;
    const folder = join(work, name);
    writeLargeFile(folder, mib);
    const before = browserMemory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, browserMemory())), SAMPLE_MS);
    await measure(`${mib} MiB`, 100, () => drop(page, folder), name);
    clearInterval(timer);
    lines.push(`| ${mib} MiB | ${formatMib(before)} | ${formatMib(peak)} | ${formatMib(peak - before)} |`);
    await rm(folder, { recursive: true });
  }
  console.log('\n| memory of all processes of the browser | before | most meanwhile | more |\n|---|---|---|---|');
  console.log(lines.join('\n'));
}

function writeLargeFile(folder: string, mib: number): void {
  mkdirSync(folder);
  appendFileSync(join(folder, 'index.html'), folder);
  const block = Buffer.allocUnsafe(MIB);
  for (let i = 0; i < mib; i += 1) appendFileSync(join(folder, 'large.bin'), randomFillSync(block));
}

function formatMib(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}

/** Signs in as the owner, whose plan has no small limits, with the link of the operator. */
async function openSignedIn(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(OWN_TREE, 'apps/api/src/operator/main.ts'), 'sign-in'],
    { env: { ...process.env, DATA_DIR: join(work, 'data'), PORT: String(berth.port) } },
  );
  const secret = /#first=([0-9a-f]{32})/.exec(stdout)![1]!;
  await page.goto(`http://localhost:${berth.port}`);
  const status = await page.evaluate(async (secret) => {
    const headers = { 'Content-Type': 'application/json', 'X-Berth-Console': '1' };
    const body = JSON.stringify({ secret });
    return (await fetch('/trpc/signIn.useLink', { method: 'POST', headers, body })).status;
  }, secret);
  if (status !== 200) throw new Error(`The link was refused with ${status}.`);
  await page.reload();
  await page.getByRole('button', { name: 'Domain, password, labels' }).waitFor();
  return page;
}

async function drop(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
}

function publishedCount(page: Page, name: string): Promise<number> {
  return page.getByRole('article', { name }).getByText('Published', { exact: true }).count();
}

function countBodies(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => (count += request.method() === 'PUT' ? 1 : 0));
  return () => count;
}

/** Returns the resident memory of the processes that this process has started and that are a Chromium, in bytes. */
function browserMemory(): number {
  let bytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (/^Name:\tchrom/m.test(status) && isOurs(pid))
        bytes += 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return bytes;
}

/** Whether a process descends from this process. */
function isOurs(pid: string): boolean {
  for (let current = pid; Number(current) > 1;) {
    if (current === String(process.pid)) return true;
    current = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${current}/status`, 'utf8'))![1]!;
  }
  return false;
}
