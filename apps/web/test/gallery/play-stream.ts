import type { Page } from 'playwright-core';

/** How long a connection stays open before it breaks, in milliseconds, so that the page reads what it has sent. */
const OPEN_MS = 300;

/**
 * Lets the page open its stream of activities again, whose connections send these activities. Each connection but the last breaks.
 *
 * @param isBack False if the last connection breaks too, and no further one is possible.
 */
export async function playStream(
  page: Page,
  connections: readonly (readonly object[])[],
  isBack: boolean,
): Promise<void> {
  let id = 1;
  const begin = `event: begin\nretry: 1000\nid: 1\ndata: ""\n\nevent: connected\ndata: {}\n\n`;
  const texts = connections.map((activities) =>
    activities.reduce<string>(
      (text, activity) => `${text}id: ${(id += 1)}\ndata: ${JSON.stringify(activity)}\n\n`,
      begin,
    ),
  );
  await page.evaluate(
    ({ texts, isBack, openMs }) => {
      const { fetch } = window;
      const waiting = [...texts];
      window.fetch = (input, init) => {
        const url = input instanceof Request ? input.url : String(input);
        if (!url.includes('activities.watch')) return fetch(input, init);
        const text = waiting.shift();
        if (text === undefined) return Promise.reject(new TypeError('Failed to fetch'));
        const breaks = waiting.length > 0 || !isBack;
        const body = new ReadableStream({
          start(stream) {
            stream.enqueue(new TextEncoder().encode(text));
            if (breaks) setTimeout(() => stream.close(), openMs);
          },
        });
        return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
      };
      for (const state of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
        document.dispatchEvent(new Event('visibilitychange'));
      }
    },
    { texts, isBack, openMs: OPEN_MS },
  );
}
