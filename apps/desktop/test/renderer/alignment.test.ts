import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { stateNamed } from '../harness/gallery/states.ts';

/** Returns the space to the left and to the right of the content of the page, in pixels. */
const marginsOf = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector('main')!.getBoundingClientRect();
    const content = document.querySelector('.page-body .cards')!.getBoundingClientRect();
    return [Math.round(content.left - main.left), Math.round(main.right - content.right)];
  });

/** Returns how far the last tool of each card is from the edge of the card: the edge of a button, or the drawing of an icon. */
const toolDistances = (page: Page) =>
  page.locator('.card').evaluateAll((cards) =>
    cards.map((card) => {
      const tools = [...card.querySelectorAll('.card-tools > :is(.button, .icon-button)')];
      const last = tools.at(-1)!;
      const edge = last.matches('.icon-button') ? last.querySelector('svg')! : last;
      return Math.round(card.getBoundingClientRect().right - edge.getBoundingClientRect().right);
    }),
  );

describeWindow('the edges of the window', (gallery) => {
  it.each([
    ['wide', { width: 1_120, height: 760 }],
    ['smallest', { width: 640, height: 480 }],
  ])('the content of a page is in the middle of the %s window (G1)', async (_name, viewport) => {
    const { page } = await gallery.open(stateNamed('publish-long'), { viewport });
    const [left, right] = await marginsOf(page);
    expect(left).toBe(right);
  });

  it.each(['publish-working', 'publish-published', 'folders-states'])(
    'the tools of all cards of %s end at the same distance from the edge (G2)',
    async (name) => {
      const { page } = await gallery.open(stateNamed(name));
      const distances = await toolDistances(page);
      expect(distances.length).toBeGreaterThan(2);
      for (const distance of distances) expect(Math.abs(distance - 17)).toBeLessThanOrEqual(2);
    },
  );
});
