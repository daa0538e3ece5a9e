import type { Page } from 'playwright-core';

/** Texts that are shortened on purpose. Each has a tooltip, or is shown in full on another page. */
const SHORTENED = '.clip, .hidden, .chips, .skip-link, .activity > p, input, select, .site-tags';

/** Returns the texts of a page that their boxes cut, and the boxes that are wider than the window. */
export function findCutTexts(page: Page): Promise<string[]> {
  return page.evaluate((shortened) => {
    const isCut = (box: Element) => {
      const { overflowX, overflowY } = getComputedStyle(box);
      const isCutX = overflowX === 'hidden' && box.scrollWidth > box.clientWidth + 1;
      return isCutX || (overflowY === 'hidden' && box.scrollHeight > box.clientHeight + 1);
    };
    const isOutside = (box: Element) => {
      const { left, right, width } = box.getBoundingClientRect();
      return width > 0 && (right > innerWidth + 1 || left < -1);
    };
    const isInScroller = (box: Element) => {
      for (let each = box.parentElement; each; each = each.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth)
          return true;
      return false;
    };
    const boxes = [...document.body.querySelectorAll('*')].filter(
      (box) => box.closest(`${shortened}, svg, [hidden]`) === null && box.textContent.trim() !== '',
    );
    return boxes
      .filter((box) => isCut(box) || (isOutside(box) && !isInScroller(box)))
      .map((box) => `${box.tagName.toLowerCase()}.${box.className}: ${box.textContent.slice(0, 80)}`);
  }, SHORTENED);
}
