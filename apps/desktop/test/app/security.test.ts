import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const { start, dist } = desktopSuite();

/** Waits until the browser has reported each of these texts, which may take a while. */
async function untilSaid(takeFaults: () => string[], words: readonly string[]): Promise<void> {
  const said: string[] = [];
  for (const each of words) await expect.poll(() => (said.push(...takeFaults()), said.join('\n'))).toContain(each);
}

it('the page cannot send a request in any way (desktop §6)', async () => {
  const { page, window, takeFaults } = await start();
  await page.evaluate(() => {
    const away = 'https://elsewhere.example';
    for (const url of [`${away}/fetch`, './index.html']) fetch(url).catch(() => {});
    const request = new XMLHttpRequest();
    request.open('GET', `${away}/xhr`);
    request.send();
    const image = Object.assign(document.createElement('img'), { src: `${away}/a.png` });
    const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${away}/a.css` });
    document.body.append(image, style);
    navigator.sendBeacon(`${away}/beacon`);
    return new WebSocket('wss://elsewhere.example/socket').url;
  });
  await untilSaid(takeFaults, ['/fetch', '/index.html', '/xhr', '/a.png', '/a.css', '/beacon', '/socket']);
  expect(window.foreign).toEqual([]);
});

it('text cannot become script or markup: inline scripts, eval, innerHTML and external scripts are blocked (desktop §6)', async () => {
  const { page, window, takeFaults } = await start();
  const tried = await page.evaluate(async () => {
    const addScript = (properties: object) =>
      document.head.append(Object.assign(document.createElement('script'), properties));
    const attempts: Record<string, () => unknown> = {
      innerHTML: () => (document.body.firstElementChild!.innerHTML = '<b>x</b>'),
      write: () => document.write('<b>x</b>'),
      // oxlint-disable-next-line no-eval
      eval: () => globalThis.eval('1'),
      Function: () => new Function('return 1')(),
      timer: () => setTimeout('1' as unknown as () => void, 0),
      inline: () => addScript({ textContent: '1' }),
      external: () => addScript({ src: 'https://elsewhere.example/x.js' }),
      attribute: () => document.body.setAttribute('onclick', '1'),
      policy: () => {
        const world = globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } };
        return world.trustedTypes.createPolicy('mine', { createHTML: (text: string) => text });
      },
    };
    // Code evaluated through DevTools may use eval until it first awaits, so await before the attempts.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const outcome = (attempt: () => unknown) => {
      try {
        attempt();
        return 'ran';
      } catch (error) {
        return (error as Error).name;
      }
    };
    return Object.fromEntries(Object.entries(attempts).map(([name, attempt]) => [name, outcome(attempt)]));
  });
  const refused = ['innerHTML', 'write', 'timer', 'inline', 'external', 'attribute', 'policy'];
  expect(tried).toEqual({
    ...Object.fromEntries(refused.map((name) => [name, 'TypeError'])),
    eval: 'EvalError',
    Function: 'EvalError',
  });
  expect(window.foreign).toEqual([]);
  takeFaults();
});

it('inline scripts and styles are blocked even if they are in the HTML of the page (desktop §6)', async () => {
  const changed = join(makeHome(), 'dist');
  cpSync(dist(), changed, { recursive: true });
  const file = join(changed, 'renderer/index.html');
  const inline = '<style>body { outline: 7px solid red }</style><script>window.hacked = "inline"</script>';
  const handler = '<img src="missing.png" onerror="window.hacked = \'handler\'">';
  writeFileSync(file, readFileSync(file, 'utf8').replace('<body>', `<body>${inline}${handler}`));
  const { page, takeFaults } = await start({ dist: changed });
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const found = await page.evaluate(() => ({
    hacked: (globalThis as unknown as { hacked?: string }).hacked ?? null,
    outline: getComputedStyle(document.body).outlineWidth,
    isThere: document.querySelector('body > script') !== null,
  }));
  expect(found).toEqual({ hacked: null, outline: expect.not.stringContaining('7px'), isThere: true });
  await untilSaid(takeFaults, [
    'Applying inline style',
    'Executing inline script',
    'Executing inline event handler',
    'missing.png was answered 404',
    'responded with a status of 404',
  ]);
});
