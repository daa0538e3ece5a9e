import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { AppState, commands } from '../../../src/shared/contract.ts';
import { describeWindow, eventually } from './describe-window.ts';
import type { GalleryState } from './window.ts';

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;

/** Tests the texts, the layout and the accessibility of gallery states. */
export function describeStates(title: string, states: readonly GalleryState[]): void {
  describeWindow(title, (gallery) => {
    it.each(states)('the data of the gallery state $name matches the contract', ({ state, answers = {} }) => {
      if (state) expect(AppState.parse(state)).toEqual(state);
      for (const [name, script] of Object.entries(answers))
        if ('value' in script && name !== 'grant') {
          const { output } = commands[name as keyof typeof commands];
          expect(output.safeParse(script.value), name).toMatchObject({ success: true });
        }
    });

    it.each(states)(
      'the gallery state $name shows its texts, fits the smallest window, and has no accessibility or policy violations',
      async (state) => {
        const { page, errors } = await gallery.openSmallest(state);
        for (const words of state.shows)
          await eventually(() => page.locator('body').innerText(), words).toContain(words);
        // The user cannot scroll sideways, so no element may be wider than the window.
        const overflows = () =>
          [document.documentElement, ...document.querySelectorAll('.page-body, .sidebar, dialog')].map(
            (box) => box.scrollWidth - box.clientWidth,
          );
        expect(Math.max(...(await page.evaluate(overflows)))).toBe(0);

        const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
        expect(describeViolations(await axe.analyze()), 'in the light scheme').toEqual([]);
        expect(describeViolations(await contrastInTheDark(page)), 'in the dark scheme').toEqual([]);
        expect(errors).toEqual([]);
        expect(await page.evaluate(() => window.fake.violations)).toEqual([]);
      },
    );
  });
}

/** Checks only the contrast, because the dark scheme differs only in its colours. Uses the axe that the page has already loaded. */
async function contrastInTheDark(page: Page): Promise<AxeResults> {
  await page.emulateMedia({ colorScheme: 'dark' });
  return page.evaluate(() => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'] });
  });
}

function describeViolations({ violations }: AxeResults): string[] {
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
  );
}
