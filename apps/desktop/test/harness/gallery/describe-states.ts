import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from 'vitest';
import { describeWindow } from './describe-window.ts';
import { AppState, commands } from '../../../src/shared/contract.ts';
import { eventually } from './eventually.ts';
import type { GalleryState } from './state.ts';

/** Tests the texts, layout and accessibility of states of the window. */
export function describeStates(title: string, states: readonly GalleryState[]): void {
  describeWindow(title, (gallery) => {
    it.each(states)('$name is valid for the contract', ({ state, answers = {} }) => {
      if (state !== null) expect(AppState.parse(state)).toEqual(state);
      for (const [name, script] of Object.entries(answers))
        if ('value' in script && name !== 'grant') {
          const { output } = commands[name as keyof typeof commands];
          expect(output.safeParse(script.value), name).toMatchObject({ success: true });
        }
    });

    it.each(states)(
      '$name shows its texts, fits the smallest window, and has no accessibility or policy violations',
      async (state) => {
        const { page, errors } = await gallery.openSmallest(state);
        for (const words of state.shows)
          await eventually(() => page.locator('body').innerText(), words).toContain(words);
        // Nothing may be wider than the window: it would be impossible to scroll to it.
        const wider = () =>
          [document.documentElement, ...document.querySelectorAll('.page-body, .sidebar, dialog')].map(
            (box) => box.scrollWidth - box.clientWidth,
          );
        expect(Math.max(...(await page.evaluate(wider)))).toBe(0);

        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const axe = new AxeBuilder({ page }).setLegacyMode(true);
          // The dark scheme differs only in its colours, so only contrast is checked.
          const { violations } = await (colorScheme === 'dark' ? axe.withRules('color-contrast') : axe).analyze();
          const found = violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
          );
          expect(found, `what axe objects to in the ${colorScheme}`).toEqual([]);
        }
        expect(errors).toEqual([]);
        expect(await page.evaluate(() => window.fake.violations)).toEqual([]);
      },
    );
  });
}
