import { eventually } from '@berth/ui/testing/page';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { grantOf, problem } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { dropFolder } from '../harness/gallery/window.ts';

describeWindow('a drop of several folders to watch (desktop §8.20)', (gallery) => {
  it('one dialog watches ten dropped folders, numbers equal addresses, and then asks about the folders with a question (B18)', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('publish-empty'), {
      answers: {
        grant: {
          value: Array.from({ length: 10 }, (_, number) => ({
            grant: grantOf(number + 1),
            name: `site-${number}`,
            kind: 'folder',
          })),
        },
        suggestName: { value: { name: 'site', validation: null } },
        watch: { value: { is: 'watched', id: '0'.repeat(16) } },
      },
    });
    await dropFolder(page, 900);
    const dialog = page.getByRole('dialog', { name: 'Watch 10 folders' });
    await eventually(() => dialog.getByLabel('site-9', { exact: true }).inputValue()).toBe('site-10');
    await dialog.getByLabel('site-1', { exact: true }).fill('not a name');
    expect(await dialog.getByRole('button', { name: 'Watch and publish' }).isDisabled()).toBe(true);
    await dialog.getByLabel('site-1', { exact: true }).fill('festival');
    for (const number of [2, 3, 4, 5, 6, 7, 8])
      await dialog.getByRole('button', { name: `Leave out site-${number}` }).click();
    await dialog.getByRole('button', { name: 'Watch and publish 3 folders' }).click();
    await eventually(() => sent('watch')).toEqual(
      [
        [1, 'site'],
        [2, 'festival'],
        [10, 'site-10'],
      ].map(([number, domain]) => ({ of: { grant: grantOf(Number(number)) }, domain, labels: [] })),
    );
    await dialog.waitFor({ state: 'detached' });

    const personal = { about: 'personal', suggestions: [], build: null, anyway: grantOf(20) };
    await answer('checkFolder', { value: { question: personal } });
    await answer('grant', {
      value: ['Documents', 'Pictures'].map((name, number) => ({ grant: grantOf(30 + number), name, kind: 'folder' })),
    });
    await dropFolder(page, 900);
    await page.getByText('Berth asks about it next.').first().waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    for (const name of ['Documents', 'Pictures']) {
      const question = page.getByRole('dialog', { name: `Watch ${name}` });
      await question.getByText('All its files would be public.').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
    }
    expect(await sent('watch')).toHaveLength(3);
  });

  it('a folder of a drop that the server refuses to watch gets a dialog of its own (B18)', async () => {
    const { page, answer } = await gallery.open(stateNamed('folders-watch-many'), {
      answers: { watch: { problem: problem('refused', 'Your plan has no platform domain left.') } },
    });
    await page.getByRole('button', { name: 'Watch and publish 3 folders' }).click();
    await page.getByText('Your plan has no platform domain left.').waitFor();
    await page.getByRole('dialog', { name: 'Watch programme' }).waitFor();
    await answer('watch', { value: { is: 'watched', id: '0'.repeat(16) } });
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await page.getByRole('dialog', { name: 'Watch tickets' }).waitFor();
  });
});
