import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const { start, dist } = desktopSuite();

/** Waits until the browser has reported faults that contain the given texts. */
async function untilReported(takeFaults: () => string[], texts: readonly string[]): Promise<void> {
  const faults: string[] = [];
  for (const text of texts) await expect.poll(() => (faults.push(...takeFaults()), faults.join('\n'))).toContain(text);
}

it('the page cannot send a request to another origin, nor fetch its own files from script (desktop §6)', async () => {
  const { page, window, takeFaults } = await start();
  await page.evaluate(() => {
    const foreignOrigin = 'https://elsewhere.example';
    for (const url of [`${foreignOrigin}/fetch`, './index.html']) fetch(url).catch(() => {});
    const request = new XMLHttpRequest();
    request.open('GET', `${foreignOrigin}/xhr`);
    request.send();
    const image = Object.assign(document.createElement('img'), { src: `${foreignOrigin}/a.png` });
    const stylesheetLink = Object.assign(document.createElement('link'), {
      rel: 'stylesheet',
      href: `${foreignOrigin}/a.css`,
    });
    document.body.append(image, stylesheetLink);
    navigator.sendBeacon(`${foreignOrigin}/beacon`);
    return new WebSocket('wss://elsewhere.example/socket').url;
  });
  await untilReported(takeFaults, ['/fetch', '/index.html', '/xhr', '/a.png', '/a.css', '/beacon', '/socket']);
  expect(window.foreign).toEqual([]);
});

it('the page cannot run inline scripts, external scripts or eval, nor turn a string into markup (desktop §6)', async () => {
  const { page, window, takeFaults } = await start();
  const injectionOutcomes = await page.evaluate(async () => {
    const addScript = (properties: object) =>
      document.head.append(Object.assign(document.createElement('script'), properties));
    const attempts: Record<string, () => unknown> = {
      innerHTML: () => (document.body.firstElementChild!.innerHTML = '<b>x</b>'),
      write: () => document.write('<b>x</b>'),
      // oxlint-disable-next-line no-eval -- the test proves that the page cannot use eval
      eval: () => globalThis.eval('1'),
      Function: () => new Function('return 1')(),
      timer: () => setTimeout('1' as unknown as () => void, 0),
      inline: () => addScript({ textContent: '1' }),
      external: () => addScript({ src: 'https://elsewhere.example/x.js' }),
      attribute: () => document.body.setAttribute('onclick', '1'),
      policy: () => {
        const pageGlobals = globalThis as unknown as {
          trustedTypes: { createPolicy(name: string, rules: object): unknown };
        };
        return pageGlobals.trustedTypes.createPolicy('mine', { createHTML: (text: string) => text });
      },
    };
    // Code that DevTools evaluates may use eval until its first await.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const outcomeOf = (attempt: () => unknown) => {
      try {
        attempt();
        return 'ran';
      } catch (error) {
        return (error as Error).name;
      }
    };
    return Object.fromEntries(Object.entries(attempts).map(([name, attempt]) => [name, outcomeOf(attempt)]));
  });
  const blockedInjections = ['innerHTML', 'write', 'timer', 'inline', 'external', 'attribute', 'policy'];
  expect(injectionOutcomes).toEqual({
    ...Object.fromEntries(blockedInjections.map((name) => [name, 'TypeError'])),
    eval: 'EvalError',
    Function: 'EvalError',
  });
  expect(window.foreign).toEqual([]);
  takeFaults();
});

it('inline scripts and styles in the HTML of the page are blocked (desktop §6)', async () => {
  const changedFolder = join(makeHome(), 'dist');
  cpSync(dist(), changedFolder, { recursive: true });
  const file = join(changedFolder, 'renderer/index.html');
  const inline = '<style>body { outline: 7px solid red }</style><script>window.hacked = "inline"</script>';
  const handler = '<img src="missing.png" onerror="window.hacked = \'handler\'">';
  writeFileSync(file, readFileSync(file, 'utf8').replace('<body>', `<body>${inline}${handler}`));
  const { page, takeFaults } = await start({ dist: changedFolder });
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const found = await page.evaluate(() => ({
    hacked: (globalThis as unknown as { hacked?: string }).hacked ?? null,
    outline: getComputedStyle(document.body).outlineWidth,
    isThere: document.querySelector('body > script') !== null,
  }));
  expect(found).toEqual({ hacked: null, outline: expect.not.stringContaining('7px'), isThere: true });
  await untilReported(takeFaults, [
    'Applying inline style',
    'Executing inline script',
    'Executing inline event handler',
    'missing.png was answered 404',
    'responded with a status of 404',
  ]);
});
