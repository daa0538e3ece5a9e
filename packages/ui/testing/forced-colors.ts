import type { Page } from 'playwright-core';

/** Returns the visible controls and marks of a page that do not differ from what is around them. */
export function findIndistinct(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((element) =>
        element.checkVisibility({ visibilityProperty: true }),
      );
    const hasEdge = (element: Element) => {
      const { borderTopWidth, borderTopColor, outlineStyle } = getComputedStyle(element);
      return (borderTopWidth !== '0px' && borderTopColor !== 'rgba(0, 0, 0, 0)') || outlineStyle !== 'none';
    };
    const colourOf = (element: Element) => getComputedStyle(element).backgroundColor;
    const withEdges = '.button, dialog[open], .toast, .card, .nav-item[aria-current]';
    const fills = shown('.progress > div, .meter-bar > div').filter((fill) => fill.clientWidth > 0);
    return [
      ...shown(withEdges).filter((element) => !hasEdge(element)),
      ...fills.filter((fill) => colourOf(fill) === colourOf(fill.parentElement!)),
    ].map((element) => `${element.className} ${element.ariaLabel ?? element.textContent}`.trim());
  });
}
