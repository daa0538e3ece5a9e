import { ACTIVITY_EVENTS } from '@berth/contract';
import { expect, it } from 'vitest';
import { eventually } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { EVERY_ACTIVITY } from '@berth/ui/testing/samples';
import { activity, deploymentId, domain, ownSite } from '@berth/ui/testing/samples';
import { appState, problem, sendingProgress, workingJob } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { chooseFromMenu } from '../harness/gallery/window.ts';

const PAGE_SIZE = 50;
const SITE_COUNT = 5_000;

/** The pages of a list of five thousand sites. */
const PAGES = Array.from({ length: SITE_COUNT / PAGE_SIZE }, (_, page) => ({
  sites: Array.from({ length: PAGE_SIZE }, (_, row) => ownSite(page * PAGE_SIZE + row)),
  ...(page + 1 < SITE_COUNT / PAGE_SIZE ? { nextCursor: String(page + 1) } : {}),
}));

/** The answer for a site that no longer exists. */
const GONE = problem('refused', 'This site does not exist.');

describeWindow('the window with an account (desktop §8)', (gallery) => {
  it('the Sites page loads five thousand sites in pages, and only the visible rows are in the DOM', async () => {
    const { page, sent } = await gallery.open(stateNamed('sites-empty'), { answers: { listSites: { pages: PAGES } } });
    const rows = page.getByRole('list', { name: 'Sites' }).getByRole('listitem');
    await rows.first().waitFor();
    expect((await sent('listSites')).length).toBeLessThan(4);
    const body = page.locator('.page-body');
    const last = page.getByRole('link', { name: deploymentId(SITE_COUNT - 1) });
    await eventually(async () => {
      await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return last.isVisible();
    }).toBe(true);
    expect(await rows.first().getAttribute('aria-setsize')).toBe(String(SITE_COUNT));
    expect(await rows.count()).toBeLessThan(60);
  });

  it('a search on the Sites page asks the server', async () => {
    const { page, sent } = await gallery.open(stateNamed('sites-list'));
    await page.getByRole('searchbox').fill('harbour');
    await eventually(() => sent('listSites')).toContainEqual({ search: 'harbour' });
  });

  it('the row of a site edits its labels, and deletes a domain and its versions only after a confirmation', async () => {
    const { page, sent } = await gallery.open(stateNamed('sites-list'), {
      answers: { putDomain: { value: domain('handbook.sites.example') } },
    });
    await chooseFromMenu(page, 'Handbook', 'Labels…');
    await page.getByRole('dialog').getByRole('textbox').fill('autumn');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await sent('putDomain')).toEqual([{ domain: 'handbook.sites.example', labels: ['autumn'] }]);
    await chooseFromMenu(page, 'Handbook', 'Delete…');
    expect(await sent('deleteSite')).toEqual([]);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'Handbook', exact: true }).waitFor({ state: 'detached' });
    expect(await sent('deleteSite')).toEqual([{ site: 'handbook.sites.example' }]);
  });

  it('the Sites page shows a new site as soon as the server reports its activity', async () => {
    const { page, emit, answer } = await gallery.open(stateNamed('sites-list'));
    await page.getByRole('link', { name: deploymentId(3) }).waitFor();
    await answer('listSites', { value: { sites: [ownSite(999), ownSite(3)] } });
    await emit('activity', activity('deployment.create', 0, { deployment: deploymentId(999) }));
    await page.getByRole('link', { name: deploymentId(999) }).waitFor();
    await answer('readSite', { problem: GONE });
    await answer('listSites', { value: { sites: [ownSite(999)] } });
    await emit('activity', activity('deployment.delete', 0, { deployment: deploymentId(3) }));
    await page.getByRole('link', { name: deploymentId(3) }).waitFor({ state: 'detached' });
  });

  it('the page of a site publishes it again from its folder, and changes its address before the old one can be removed', async () => {
    const { page, sent } = await gallery.open(stateNamed('site-domain'), {
      answers: {
        putDomain: { value: domain('festival.sites.example') },
        validateDomain: {
          value: { valid: true, normalized: 'festival.sites.example', available: true, reason: null },
        },
        publishSiteAgain: { value: { id: '0'.repeat(16) } },
      },
    });
    await page.getByRole('button', { name: 'Change address…' }).click();
    await page.getByRole('dialog').getByLabel('Domain', { exact: true }).fill('festival');
    await page.getByText('festival.sites.example is available.').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('dialog', { name: 'Remove the old address?' }).waitFor();
    expect(await sent('deleteDomain')).toEqual([]);
    await page.getByRole('button', { name: 'Remove old address' }).click();
    await page.getByText('www.harbour.example removed.').waitFor();
    expect(await sent('putDomain')).toEqual([{ domain: 'festival', deployment: deploymentId(0), labels: [] }]);
    expect(await sent('deleteDomain')).toEqual([{ domain: 'www.harbour.example' }]);
    await page.getByRole('button', { name: 'Publish again' }).click();
    await page.getByRole('heading', { name: 'Publish', exact: true }).waitFor();
    expect(await sent('publishSiteAgain')).toEqual([{ deployment: deploymentId(0), domain: 'www.harbour.example' }]);
  });

  it('the Domains page adds a domain and shows the DNS records that the domain needs', async () => {
    const addedDomain = domain('new.harbour.example', { status: 'pending', deployment: null, linked: null });
    const { page, sent } = await gallery.open(stateNamed('domains-add'), {
      answers: {
        putDomain: { value: addedDomain },
        readDomain: { value: addedDomain },
        readProvider: { value: { domain: addedDomain.domain, dns: null } },
        readRecords: {
          value: {
            domain: addedDomain.domain,
            apex: false,
            records: [{ type: 'CNAME', name: addedDomain.domain, value: 'sites.example' }],
          },
        },
      },
    });
    await page.getByRole('dialog').getByLabel('Domain', { exact: true }).fill('new.harbour.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Copy value sites.example' }).click();
    await page.getByRole('button', { name: 'Copy name new.harbour.example' }).click();
    expect(await sent('putDomain')).toEqual([{ domain: 'new.harbour.example' }]);
    expect(await sent('copy')).toEqual([{ text: 'sites.example' }, { text: 'new.harbour.example' }]);
  });

  it('the Activity page has a different sentence for every event, and shows and announces new activity live', async () => {
    // The list has only the visible rows.
    const viewport = { width: 1_120, height: 2_400 };
    const { page, emit } = await gallery.open(stateNamed('activity-list'), { viewport });
    const rows = page.locator('.activity');
    await eventually(() => rows.count()).toBe(ACTIVITY_EVENTS.length);
    const sentences = await rows.locator('p').allTextContents();
    expect(new Set(sentences).size).toBe(ACTIVITY_EVENTS.length);
    for (const { event, domain } of EVERY_ACTIVITY)
      if (domain !== undefined)
        expect(
          sentences.some((text) => text.includes(domain)),
          event,
        ).toBe(true);
    await emit('activity', activity('deployment.create', 0, { deployment: 'calm-otter-4k9x2qd' }));
    await eventually(() => rows.first().locator('p').textContent()).toBe('Published calm-otter-4k9x2qd');
    expect(await page.locator('[aria-live=polite]', { hasText: 'Published calm-otter-4k9x2qd' }).count()).toBe(1);
  });

  it('the Settings page never shows an API key, and clears its field after the user signs in', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('settings-signed-out'));
    const key = 'ship-00000000000000000000000000000000';
    const field = page.getByLabel('API key');
    expect(await field.getAttribute('type')).toBe('password');
    await answer('signIn', { value: { email: 'mara@harbour.example' } });
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Signed in as mara@harbour.example.').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await sent('signIn')).toEqual([{ key }, { key }]);
    expect(await page.content()).not.toContain(key);
  });

  it('a link fills in the address of a server, but only the user can add the server', async () => {
    const { page, sent, emit } = await gallery.open(stateNamed('publish-empty'), {
      answers: { addServer: { value: { origin: 'https://other.example' } } },
    });
    await emit('navigate', { page: 'settings', server: 'https://other.example' });
    await eventually(() => page.getByLabel('Another server').inputValue()).toBe('https://other.example');
    await page.getByText('Add it only if you trust it.').waitFor();
    expect(await sent('addServer')).toEqual([]);
    await page.getByRole('button', { name: 'Add' }).click();
    await eventually(() => sent('addServer')).toEqual([{ address: 'https://other.example' }]);
  });

  it('the Settings page sends a changed setting at once, and shows the value that the app reports', async () => {
    const { page, sent, emit } = await gallery.open(stateNamed('settings'));
    const copyLinks = page.getByRole('switch', { name: 'Copy links automatically' });
    await copyLinks.click();
    expect(await sent('changeSettings')).toEqual([{ copyLinks: false }]);
    // The switch stays on until the app reports the change, because the page keeps no copy of the setting.
    expect(await copyLinks.isChecked()).toBe(true);
    await emit('settings', { ...appState().settings, copyLinks: false });
    await eventually(() => copyLinks.isChecked()).toBe(false);
    await page.getByLabel('Versions to keep').fill('12');
    await page.keyboard.press('Enter');
    await eventually(() => sent('changeSettings')).toContainEqual({ keepVersions: 12 });
    await page.getByText('Dark', { exact: true }).click();
    await eventually(() => sent('changeSettings')).toContainEqual({ theme: 'dark' });
  });

  it('the menu in the sidebar switches to another server', async () => {
    const { page, sent } = await gallery.open(stateNamed('settings'));
    await page.getByRole('button', { name: 'Account and server' }).click();
    await page.getByRole('menuitemradio', { name: 'localhost:4000' }).click();
    expect(await sent('chooseServer')).toEqual([{ origin: 'http://localhost:4000' }]);
  });

  it('the window shows at most four messages, and keeps a problem until the user dismisses it', async () => {
    const { page, emit } = await gallery.open(stateNamed('settings'), {
      answers: { addServer: { value: { origin: 'https://other.example' } } },
    });
    for (const number of [1, 2, 3, 4, 5]) await emit('problem', { problem: problem('refused', `Message ${number}.`) });
    const messages = page.getByRole('region', { name: 'Messages' }).getByRole('alert');
    const lastFour = ['Message 2.', 'Message 3.', 'Message 4.', 'Message 5.'];
    await eventually(() => messages.allInnerTexts()).toEqual(lastFour);
    await page.getByLabel('Another server').fill('https://other.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await eventually(() => page.getByLabel('Another server').inputValue()).toBe('');
    await eventually(() => messages.allInnerTexts()).toEqual(lastFour);
    await page.getByRole('button', { name: 'Dismiss message' }).first().click();
    await eventually(() => messages.count()).toBe(3);
  });

  it('the Publish page shows the progress of fifty drops that report progress ten times a second (desktop §8.3)', async () => {
    const { page } = await gallery.open(stateNamed('publish-long'));
    const ticks = Array.from({ length: 21 }, (_, tick) =>
      Array.from({ length: 50 }, (_, number) => workingJob(number + 1, 'dist', sendingProgress(tick * 45))),
    );
    const drawnValues = await page.evaluate(async (ticks) => {
      for (const publishings of ticks) {
        window.fake.emit('publishings', publishings);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return [...document.querySelectorAll('[role=progressbar]')].map((bar) => bar.getAttribute('aria-valuenow'));
    }, ticks);
    expect(drawnValues).toEqual(Array.from({ length: 50 }, () => '100'));
  });
});
