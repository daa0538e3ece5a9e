import { mkdtempSync, rmSync } from 'node:fs';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { createTestDatabase } from '@berth/testing/database';
import { freePorts } from '@berth/testing/free-ports';
import { type ServerProcess, startProcess } from '@berth/testing/process';
import { testEnvironment } from '@berth/testing/server';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { builtConsole, useConsole } from './built-console.ts';
import { eventually } from '@berth/ui/testing/page';
import { dropOn, publishedUrl, useFolders } from './drop.ts';

/** Larger than a request body, so that each file is a body of its own. */
const BIG = 9_000_000;
/** The number of request bodies for {@link bigFiles}. */
const BODIES = 4;

const bigFiles = () => ({
  'index.html': 'hello',
  'a.bin': Buffer.alloc(BIG, 'a'),
  'b.bin': Buffer.alloc(BIG, 'b'),
  'c.bin': Buffer.alloc(BIG, 'c'),
});

/**
 * Lets the first body pass, and breaks the others off until it is removed.
 * A test that loads the page again removes it afterwards: otherwise the reload can break off a body that the server
 * has received, whose request then has no status 200.
 */
async function breakOff(page: Page): Promise<() => Promise<void>> {
  let count = 0;
  const pattern = '**/uploads/*/contents';
  await page.context().route(pattern, (route) => (count++ === 0 ? route.continue() : route.abort('connectionreset')));
  return () => page.context().unroute(pattern);
}

describeInBrowser('an upload of the drop page', (browser) => {
  const console = useConsole();
  const writeFolder = useFolders();
  const receivedBodies = () =>
    console.server().logged.filter(({ fields }) => fields['method'] === 'PUT' && fields['status'] === 200).length;

  /** Waits until the server has the one body that {@link breakOff} lets pass, so that a reload does not break it off. */
  const firstBody = (before: number) => eventually(async () => receivedBodies() - before).toBe(1);

  it('continues after the page is loaded again, and sends no content twice', async () => {
    const { page } = await openPage(browser());
    await page.goto(console.origin());
    await page.getByRole('button', { name: 'Choose folder' }).waitFor();
    const before = receivedBodies();
    const repair = await breakOff(page);
    await dropOn(page, await writeFolder('reloaded', bigFiles()));
    const card = page.getByRole('article', { name: 'reloaded' });
    await card.getByText('Trying again').waitFor();
    await firstBody(before);
    await page.reload();
    await repair();
    const url = await publishedUrl(page, 'reloaded');
    expect((await console.server().visit(url)).text).toBe('hello');
    expect(receivedBodies() - before).toBe(BODIES);
  });

  it('pauses and continues', async () => {
    const { page } = await openPage(browser());
    await page.goto(console.origin());
    await page.getByRole('button', { name: 'Choose folder' }).waitFor();
    const repair = await breakOff(page);
    await dropOn(page, await writeFolder('paused', bigFiles()));
    const card = page.getByRole('article', { name: 'paused' });
    await card.getByText('Trying again').waitFor();
    await card.getByRole('button', { name: 'Pause paused' }).click();
    await card.getByText('Nothing is sent until you continue.').waitFor();
    await repair();
    await card.getByRole('button', { name: 'Continue' }).click();
    expect((await console.server().visit(await publishedUrl(page, 'paused'))).text).toBe('hello');
  });

  it('of a chosen folder continues when the folder is chosen again', async () => {
    const { page } = await openPage(browser());
    const choose = async (button: string, folder: string) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: button }).click();
      await (await chooser).setFiles(folder);
    };
    await page.goto(console.origin());
    const before = receivedBodies();
    const repair = await breakOff(page);
    const folder = await writeFolder('again', bigFiles());
    await choose('Choose folder', folder);
    await page.getByRole('article', { name: 'again' }).getByText('Trying again').waitFor();
    await firstBody(before);
    await page.reload();
    await repair();
    await choose('Choose folder again', folder);
    expect((await console.server().visit(await publishedUrl(page, 'again'))).text).toBe('hello');
    expect(receivedBodies() - before).toBe(BODIES);
    expect(await page.getByRole('article').count()).toBe(1);
  });
});

describeInBrowser('a server that is killed while the drop page sends', (browser) => {
  const writeFolder = useFolders();

  it('receives the rest when it is started again', async () => {
    const database = await createTestDatabase();
    const dataDir = mkdtempSync('/tmp/berth-killed-');
    const consoleFolder = await builtConsole();
    const [port] = await freePorts(1);
    const env = testEnvironment(database, dataDir, { PORT: String(port), CONSOLE_FOLDER: consoleFolder });
    let running: Promise<ServerProcess> = startProcess(env);
    onTestFinished(async () => {
      const { child, exited } = await running;
      child.kill();
      await exited;
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    });
    await running;
    const { page } = await openPage(browser());
    await page.goto(`http://localhost:${port}`);
    await page.getByRole('button', { name: 'Choose folder' }).waitFor();
    const killed = page
      .waitForRequest((request) => request.method() === 'PUT')
      .then(async () => {
        const { child, exited } = await running;
        child.kill('SIGKILL');
        running = exited.then(() => startProcess(env));
      });
    await dropOn(page, await writeFolder('killed', bigFiles()));
    await killed;
    const { visit } = await running;
    expect((await visit(await publishedUrl(page, 'killed'))).text).toBe('hello');
  });
});
