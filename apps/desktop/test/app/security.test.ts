import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishingCard } from '../harness/app/cards.ts';
import { makeHome, makeSite } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();

/** Waits until the browser has reported each of these texts, which may take a while. @returns All that it reported. */
async function untilSaid(takeFaults: () => string[], words: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const each of words) await expect.poll(() => (said.push(...takeFaults()), said.join('\n'))).toContain(each);
  return said;
}

it('the page sees only the object of the contract: no Node, no Electron and no IPC (desktop §6)', async () => {
  const { page } = await suite.start();
  const found = await page.evaluate(() => {
    const world = globalThis as unknown as Record<string, unknown>;
    const { desktop } = world as unknown as { desktop: Record<string, object> };
    const names = [
      'require',
      'process',
      'module',
      'exports',
      'Buffer',
      'global',
      '__dirname',
      'electron',
      'ipcRenderer',
    ];
    return {
      there: names.filter((name) => name in world),
      ofHarness: ['callMain', 'boundary', 'BRIDGE', 'PRELOAD'].filter((name) => name in world),
      desktop: Object.keys(desktop),
      isFrozen: [desktop, ...Object.values(desktop)].every((part) => Object.isFrozen(part)),
    };
  });
  expect(found).toEqual({ there: [], ofHarness: [], desktop: ['commands', 'events', 'grant'], isFrozen: true });
});

it('the page cannot send a request in any way (desktop §6: connect-src none)', async () => {
  const { page, window, takeFaults } = await suite.start();
  const away = 'https://elsewhere.example';
  const ended = await page.evaluate(async (away) => {
    const xhr = () =>
      new Promise<string>((resolve) => {
        const request = new XMLHttpRequest();
        request.addEventListener('error', () => resolve('blocked'));
        request.addEventListener('load', () => resolve('loaded'));
        request.open('GET', `${away}/xhr`);
        request.send();
      });
    const socket = () =>
      new Promise<string>((resolve) => {
        try {
          const socket = new WebSocket('wss://elsewhere.example/socket');
          socket.addEventListener('error', () => resolve('blocked'));
          socket.addEventListener('open', () => resolve('loaded'));
        } catch {
          resolve('blocked');
        }
      });
    const element = (make: (load: (is: string) => void) => HTMLElement) =>
      new Promise<string>((resolve) => document.body.append(make(resolve)));
    const loading = <E extends HTMLElement>(made: E, resolve: (is: string) => void, src: (made: E) => void): E => {
      made.addEventListener('error', () => resolve('blocked'));
      made.addEventListener('load', () => resolve('loaded'));
      src(made);
      return made;
    };
    const image = element((resolve) =>
      loading(document.createElement('img'), resolve, (made) => (made.src = `${away}/a.png`)),
    );
    const style = element((resolve) =>
      loading(document.createElement('link'), resolve, (made) => {
        made.rel = 'stylesheet';
        made.href = `${away}/a.css`;
      }),
    );
    return {
      fetch: await fetch(`${away}/fetch`).then(
        () => 'loaded',
        () => 'blocked',
      ),
      own: await fetch('./index.html').then(
        () => 'loaded',
        () => 'blocked',
      ),
      xhr: await xhr(),
      socket: await socket(),
      image: await image,
      style: await style,
      beacon: navigator.sendBeacon(`${away}/beacon`) ? 'sent, and blocked on its way' : 'blocked',
    };
  }, away);
  expect(ended).toMatchObject({
    fetch: 'blocked',
    own: 'blocked',
    xhr: 'blocked',
    socket: 'blocked',
    image: 'blocked',
    style: 'blocked',
  });
  expect(window.foreign).toEqual([]);
  const said = await untilSaid(takeFaults, ['/fetch', '/xhr', '/socket', '/a.png', '/a.css', '/beacon', '/index.html']);
  expect(said.filter((fault) => !fault.includes('Content Security Policy'))).toEqual([]);
});

it('text cannot become script or markup: inline scripts, eval, innerHTML and external scripts are blocked (desktop §6)', async () => {
  const { page, window, takeFaults } = await suite.start();
  const tried = await page.evaluate(async () => {
    const world = globalThis as unknown as { hacked?: string };
    // Code evaluated through DevTools may use eval until it first awaits, so await before the attempts.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const attempt = (run: () => unknown) => {
      try {
        run();
        return 'ran';
      } catch (error) {
        return (error as Error).name;
      }
    };
    const results = {
      innerHTML: attempt(() => (document.body.firstElementChild!.innerHTML = '<b>x</b>')),
      write: attempt(() => document.write('<b>x</b>')),
      // oxlint-disable-next-line no-eval
      eval: attempt(() => globalThis.eval('1')),
      Function: attempt(() => new Function('return 1')()),
      timer: attempt(() => setTimeout('hacked = "timer"' as unknown as () => void, 0)),
      text: attempt(() => {
        const script = document.createElement('script');
        script.textContent = 'hacked = "inline"';
        document.head.append(script);
      }),
      source: attempt(() => {
        const script = document.createElement('script');
        script.src = 'https://elsewhere.example/x.js';
        document.head.append(script);
      }),
      policy: attempt(() =>
        (
          globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
        ).trustedTypes.createPolicy('mine', { createHTML: (text: string) => text }),
      ),
    };
    const button = document.createElement('button');
    button.setAttribute('data-x', '');
    const attribute = attempt(() => button.setAttribute('onclick', 'hacked = "attribute"'));
    document.body.append(button);
    button.click();
    button.remove();
    // Scripts that were not blocked would have run by now.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { ...results, attribute, hacked: world.hacked ?? null };
  });
  expect(tried).toMatchObject({
    innerHTML: 'TypeError',
    write: 'TypeError',
    eval: 'EvalError',
    Function: 'EvalError',
    timer: 'TypeError',
    text: 'TypeError',
    source: 'TypeError',
    policy: 'TypeError',
    attribute: 'TypeError',
    hacked: null,
  });
  expect(window.foreign).toEqual([]);
  takeFaults();
});

it('inline scripts and styles are blocked even if they are in the HTML of the page (desktop §6: no inline)', async () => {
  const dist = join(makeHome(), 'dist');
  cpSync(suite.dist, dist, { recursive: true });
  const file = join(dist, 'renderer/index.html');
  const inline = '<style>body { outline: 7px solid red }</style><script>window.hacked = "inline"</script>';
  const handler = '<img src="missing.png" onerror="window.hacked = \'handler\'">';
  writeFileSync(file, readFileSync(file, 'utf8').replace('<body>', `<body>${inline}${handler}`));
  const { page, takeFaults } = await suite.start({ dist });
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

it('a frame in the page cannot access the app (desktop §6)', async () => {
  const { page, takeFaults } = await suite.start();
  const found = await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const world = frame.contentWindow as unknown as { desktop?: unknown };
    const has = world.desktop !== undefined;
    frame.remove();
    const own = document.createElement('iframe');
    own.src = './index.html';
    document.body.append(own);
    await new Promise((resolve) => own.addEventListener('load', resolve));
    let inside: unknown = null;
    try {
      inside = (own.contentWindow as unknown as { desktop?: unknown }).desktop ?? null;
    } catch {
      // The frame shows a browser error page, which has an opaque origin.
    }
    own.remove();
    return { has, inside };
  });
  expect(found).toEqual({ has: false, inside: null });
  await untilSaid(takeFaults, ['Framing']);
});

it('the window cannot navigate away: not by a script, a link, a form, a refresh to another URL or another window (desktop §6)', async () => {
  const { page, window, takeFaults } = await suite.start();
  const at = page.url();
  const ways: Record<string, () => void> = {
    script: () => (location.href = 'https://elsewhere.example/script'),
    link: () => {
      const link = document.createElement('a');
      link.href = 'https://elsewhere.example/link';
      document.body.append(link);
      link.click();
      link.remove();
    },
    blank: () => {
      const link = document.createElement('a');
      link.href = 'https://elsewhere.example/blank';
      link.target = '_blank';
      document.body.append(link);
      link.click();
      link.remove();
    },
    open: () => void globalThis.open('https://elsewhere.example/open'),
    meta: () => {
      const meta = document.createElement('meta');
      meta.httpEquiv = 'refresh';
      meta.content = '0; url=https://elsewhere.example/meta';
      document.head.append(meta);
    },
  };
  for (const [way, go] of Object.entries(ways)) {
    await page.evaluate(go);
    await expect.poll(() => window.refused, { message: way }).toContain(`https://elsewhere.example/${way}`);
    expect(page.url(), way).toBe(at);
  }
  // The browser itself refuses these and reports an error.
  await page.evaluate(() => (location.href = 'file:///etc/passwd'));
  await page.evaluate(() => {
    const form = document.createElement('form');
    form.action = 'https://elsewhere.example/form';
    document.body.append(form);
    form.submit();
    form.remove();
  });
  await untilSaid(takeFaults, ['Not allowed to load local resource', 'form-action']);
  expect(page.url()).toBe(at);
  expect(window.foreign).toEqual([]);
  expect(page.context().pages()).toHaveLength(1);
  expect(await page.evaluate(() => document.querySelector('nav[aria-label="Pages"]') !== null)).toBe(true);
  takeFaults();
});

it('the window never navigates to what is dropped on it, and dropped texts and links do nothing (desktop §6)', async () => {
  const { page, drop, state } = await suite.start();
  const at = page.url();
  // Chromium opens a dropped file unless the event is prevented. Headless Chromium does not, so check `defaultPrevented`.
  const takes = await page.evaluateHandle(() => {
    const takes: boolean[] = [];
    window.addEventListener('drop', (event) => setTimeout(() => takes.push(event.defaultPrevented)));
    return takes;
  });
  await drop(makeSite('harmless', { 'index.html': '<script>evil()</script>' }));
  await publishingCard(page, 'harmless').getByText('Link copied').waitFor();
  expect(page.url()).toBe(at);
  expect(await takes.jsonValue()).toEqual([true]);
  const cdp = await page.context().newCDPSession(page);
  const data = {
    items: [{ mimeType: 'text/uri-list', data: 'https://elsewhere.example/dropped' }],
    files: [],
    dragOperationsMask: 1,
  };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await cdp.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  expect((await state()).publishings).toHaveLength(1);
  expect(page.url()).toBe(at);
});

it('only paths that the user gave can be published: made-up grants, plain paths and files created by the page are refused (desktop §6)', async () => {
  const { page, drop, ask, state } = await suite.start();
  const folder = makeSite('given', { 'index.html': 'given' });
  const madeUp = 'ab'.repeat(16);
  await expect(ask('publish', { grants: [madeUp] })).rejects.toThrow();
  const fromNowhere = await page.evaluate((folder) => {
    const { desktop } = globalThis as unknown as { desktop: { grant(files: File[]): Promise<unknown> } };
    const file = new File(['x'], 'index.html');
    Object.defineProperty(file, 'path', { value: folder });
    return desktop.grant([file]);
  }, folder);
  expect(fromNowhere).toEqual({ ok: true, value: [] });
  expect((await state()).publishings).toEqual([]);

  await drop(folder);
  await publishingCard(page, 'given').getByText('Link copied').waitFor();
  const used = await page.evaluate(async () => {
    const { desktop } = globalThis as unknown as {
      desktop: { commands: Record<string, (input: unknown) => Promise<unknown>> };
    };
    return desktop.commands['publish']!({ grants: ['/etc'] });
  });
  expect(used).toMatchObject({ ok: false, problem: { kind: 'refused' } });
});
