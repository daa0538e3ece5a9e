import { expect, it } from 'vitest';
import { eventually } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { activity, ownSite, deploymentId, domain, MINUTE, NOW, site } from '@berth/ui/testing/samples';
import { problem, session, SIGNED_IN } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';

const SITES = stateNamed('sites-list');
/** Creates consecutive sites. @param first The number of the newest site. */
const sites = (first: number, count: number) => Array.from({ length: count }, (_, row) => ownSite(first + row));
const expiry = (number: number) => activity('deployment.expire', 0, { deployment: deploymentId(number) });

describeWindow('the lists of an account (desktop §8)', (gallery) => {
  it('a site stays in the list, and the reason is shown, when the server refuses to delete the site', async () => {
    const refusal = problem('refused', 'The site is in use.');
    const { page } = await gallery.open(stateNamed('sites-delete'), {
      answers: { deleteSite: { problem: refusal } },
    });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(refusal.message).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Handbook', exact: true }).waitFor();
  });

  it('a site that is deleted while the list is refreshed does not come back', async () => {
    const { page, emit, answer, sent } = await gallery.open(stateNamed('sites-delete'));
    const handbook = page.getByRole('link', { name: 'Handbook', exact: true });
    const requests = (await sent('listSites')).length;
    await answer('listSites', { later: true });
    await emit('activity', activity('domain.update', 0, { domain: 'www.harbour.example' }));
    await eventually(async () => (await sent('listSites')).length).toBeGreaterThan(requests);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await handbook.waitFor({ state: 'detached' });
    await answer('listSites', { value: { sites: [site(999), site(3), site(0)] } });
    await page.getByRole('link', { name: site(999).title! }).waitFor();
    expect(await handbook.count()).toBe(0);
  });

  it('api §9: an activity and a state that a newer server has added are shown by their names', async () => {
    const unknownEvent = { ...activity('token.create', 60), event: 'robot.create', authMethod: 'robot-arm' };
    const listed = await gallery.open(stateNamed('activity-list'), {
      answers: { listActivities: { value: { activities: [unknownEvent, activity('token.create', 120)] } } },
    });
    await listed.page.getByText('robot.create · robot arm').waitFor();
    await listed.page.getByText('Created API key').waitFor();
    const unknownState = domain('www.example.com', { status: 'moving' });
    const domains = await gallery.open(stateNamed('domains-empty'), {
      answers: { listDomains: { value: { domains: [unknownState] } } },
    });
    await domains.page.getByText('moving', { exact: true }).waitFor();
  });

  it('a site that moves to an earlier page while the list loads is listed once and in order', async () => {
    const { page, emit, answer, sent } = await gallery.open(SITES, {
      answers: { listSites: { pages: [{ sites: sites(0, 50), nextCursor: '1' }] } },
    });
    await page.getByRole('link', { name: deploymentId(0) }).waitFor();
    const requestsBefore = (await sent('listSites')).length;
    await answer('listSites', {
      pages: [{ sites: sites(1, 50), nextCursor: '1' }, { sites: sites(50, 20) }],
    });
    await emit('activity', expiry(0));
    await eventually(async () => (await sent('listSites')).length).toBeGreaterThan(requestsBefore);
    const rows = page.getByRole('list', { name: 'Sites' }).getByRole('listitem');
    await page.locator('.page-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    // The list contains the sites 1 to 69 once.
    await eventually(() => rows.last().getAttribute('aria-setsize')).toBe('69');
    await page.locator('.page-body').evaluate((body) => body.scrollTo(0, 0));
    await eventually(() => rows.first().innerText()).toContain(deploymentId(1));
  });

  it('the list of sites loads its next page when all loaded sites have expired', async () => {
    const { page, answer } = await gallery.open(SITES, {
      // The second page is not loaded at first, because the end of the first page is out of view.
      answers: { listSites: { pages: [{ sites: sites(0, 50), nextCursor: '1' }] } },
    });
    await page.getByRole('link', { name: deploymentId(0) }).waitFor();
    await answer('listSites', { pages: [{ sites: [], nextCursor: '1' }, { sites: sites(70, 2) }] });
    await page.evaluate(
      (activities) => activities.forEach((each) => window.fake.emit('activity', each)),
      Array.from({ length: 50 }, (_, number) => expiry(number)),
    );
    await page.getByRole('link', { name: deploymentId(70) }).waitFor();
  });

  it('the list of sites ignores an answer of the previous server that arrives late', async () => {
    const otherServer = 'http://localhost:4000';
    const servers = [
      { origin: 'https://berth.example', signIn: SIGNED_IN },
      { origin: otherServer, signIn: SIGNED_IN },
    ];
    const { page, emit, answer, sent } = await gallery.open(SITES, {
      answers: { listSites: { value: { sites: sites(0, 2) } } },
    });
    await page.getByRole('link', { name: deploymentId(0) }).waitFor();
    const requestsBefore = (await sent('listSites')).length;
    await answer('listSites', { later: true });
    await emit('activity', activity('deployment.create', 0, { deployment: deploymentId(9) }));
    await eventually(async () => (await sent('listSites')).length).toBe(requestsBefore + 1);
    await emit('session', session(SIGNED_IN, { servers, current: otherServer }));
    await eventually(async () => (await sent('listSites')).length).toBe(requestsBefore + 2);
    // The answer of the previous server arrives last.
    await page.evaluate(
      (sites) => {
        const turnCounter = Object.assign(window, { turns: 0 });
        const value = {
          get sites() {
            return turnCounter.turns++ === 0 ? sites.there : sites.left;
          },
        };
        window.fake.answer('listSites', { value });
      },
      { left: sites(90, 1), there: sites(40, 1) },
    );
    await page.getByRole('link', { name: deploymentId(40) }).waitFor();
    await eventually(() => page.evaluate(() => (window as unknown as { turns: number }).turns)).toBe(2);
    // After the next frame, any effect of the late answer would be visible.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    expect(await page.getByRole('link', { name: deploymentId(90) }).count()).toBe(0);
  });

  it.each([
    ['the server is reachable again', 'session', session(SIGNED_IN)],
    ['the event stream starts', 'following', {}],
  ] as const)('the list of sites reloads when %s, because it has missed earlier events', async (_, event, data) => {
    const { page, emit, answer } = await gallery.open(SITES, {
      answers: { listSites: { value: { sites: sites(0, 2) } } },
    });
    await page.getByRole('link', { name: deploymentId(0) }).waitFor();
    await emit('session', session(SIGNED_IN, { online: false }));
    await page.getByText('Offline').waitFor({ state: 'attached' });
    await answer('listSites', { value: { sites: sites(1, 1) } });
    await emit(event, data);
    await page.getByRole('link', { name: deploymentId(0) }).waitFor({ state: 'detached' });
  });

  it('an activity that arrives while the list reloads stays in the list, even if the answer does not contain the activity', async () => {
    const { page, emit, answer, sent } = await gallery.open(stateNamed('activity-list'), {
      answers: { listActivities: { value: { activities: [activity('account.create', 100)] } } },
    });
    await page.getByText('Account created').waitFor();
    const requestsBefore = (await sent('listActivities')).length;
    await answer('listActivities', { later: true });
    await emit('following', {});
    await eventually(async () => (await sent('listActivities')).length).toBe(requestsBefore + 1);
    await emit('activity', activity('deployment.expire', 0, { deployment: deploymentId(2) }));
    const expiredRow = page.locator('.activity', { hasText: `${deploymentId(2)} expired` });
    await expiredRow.waitFor();
    const verification = activity('domain.verify', 50);
    await answer('listActivities', { value: { activities: [verification, activity('account.create', 100)] } });
    await page.getByText('passed its DNS check').waitFor();
    expect(await expiredRow.count()).toBe(1);
  });

  it('an activity that the list already contains is not listed again, and the rows stay in the DOM when a page is added', async () => {
    const created = activity('deployment.create', 1, { deployment: deploymentId(1) });
    const verifications = Array.from({ length: 59 }, (_, row) => activity('domain.verify', row + 2));
    const { page, emit, answer } = await gallery.open(stateNamed('activity-list'), {
      answers: { listActivities: { value: { activities: [created, ...verifications], nextCursor: '1' } } },
    });
    await page.getByText(`Published ${deploymentId(1)}`).waitFor();
    await answer('listActivities', { later: true });
    await emit('activity', created);
    await emit('activity', activity('deployment.expire', 0, { deployment: deploymentId(2) }));
    await page
      .getByText(`${deploymentId(2)} expired`)
      .first()
      .waitFor();
    expect(await page.locator('.activity', { hasText: `Published ${deploymentId(1)}` }).count()).toBe(1);

    await page.locator('.page-body').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const lastRow = page.getByRole('listitem').last();
    // The list has the heading of the day and 61 activities.
    await eventually(() => lastRow.getAttribute('aria-posinset')).toBe('62');
    const row = (await lastRow.elementHandle())!;
    await answer('listActivities', { value: { activities: [activity('account.create', 100)] } });
    await page.getByText('Account created').waitFor();
    expect(await row.evaluate((element) => element.isConnected)).toBe(true);
  });

  it('the page of a domain counts down to the next DNS check', async () => {
    const { page } = await gallery.open(stateNamed('domain-records'));
    await page.getByText('Next check in 10 min.').waitFor();
    await page.clock.setFixedTime(NOW + 9 * MINUTE);
    await page.getByText('Next check in 1 min.').waitFor();
  });
});
