import { expectAccessible } from '@berth/ui/testing/accessibility';
import { eventually } from '@berth/ui/testing/page';
import { expect, it } from 'vitest';
import { AppState, commands } from '../../../src/shared/contract.ts';
import { describeWindow } from './describe-window.ts';
import type { GalleryState } from './window.ts';

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
        await expectAccessible(page);
        expect(errors).toEqual([]);
        expect(await page.evaluate(() => window.fake.violations)).toEqual([]);
      },
    );
  });
}
