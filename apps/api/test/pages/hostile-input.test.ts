import type { ServerResponse } from 'node:http';
import type { Deployment } from '@berth/contract';
import type { DomainSetup } from '@berth/core';
import { expect, it } from 'vitest';
import { sendClaimPage } from '../../src/api-host/claim-page/page.ts';
import { sendSetupPage, sendSetupProblem } from '../../src/api-host/domain-setup/page.ts';
import { formatDuration } from '../../src/pages/format.ts';
import { writePage } from '../../src/pages/frame.ts';
import { html, rawHtml } from '../../src/pages/html.ts';
import { sendUnlockPage } from '../../src/site-host/unlock-page.ts';

const HOSTILE = `"><script>alert('1')</script>&lt;`;
const ESCAPED_TEXT = '&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;lt;';
const BASE_URL = new URL('https://api.example.com');

function renderPage(send: (res: ServerResponse) => void): string {
  let body = '';
  const req = { headers: {} };
  const res = { req, writeHead: () => res, end: (bytes: Buffer) => void (body = bytes.toString()) };
  send(res as unknown as ServerResponse);
  return body;
}

const hostileSetup: DomainSetup = {
  domain: HOSTILE,
  status: 'partial',
  records: (['found', 'missing'] as const).map((state) => ({
    type: 'TXT',
    name: HOSTILE,
    relative: HOSTILE,
    values: [HOSTILE, HOSTILE],
    state,
    reason: HOSTILE,
  })),
  provider: HOSTILE,
  wholeNames: true,
  steps: [HOSTILE],
  checked: null,
  nextCheck: null,
  waitSeconds: 0,
};

it.each<[page: string, times: number, send: (res: ServerResponse) => void]>([
  ['in every page', 2, (res) => writePage(res, { status: 200, title: HOSTILE, parts: [] })],
  ['on the unlock page', 1, (res) => sendUnlockPage(res, { state: { kind: 'wrong' }, next: HOSTILE }, {})],
  [
    'on the claim page',
    2,
    (res) => {
      const site = { title: HOSTILE, url: 'https://a.example', leftMs: 1 };
      sendClaimPage(res, { status: 200, baseUrl: BASE_URL, form: { claim: HOSTILE, site } });
    },
  ],
  [
    'on the claim page with a problem',
    4,
    (res) => {
      const problem = { title: HOSTILE, text: HOSTILE, requestId: HOSTILE, canRetry: true };
      sendClaimPage(res, { status: 400, baseUrl: BASE_URL, problem, form: { claim: 'x', site: null } });
    },
  ],
  [
    'on the claim page of a claimed site',
    1,
    (res) => {
      const claimedDeployment = {
        url: `https://a.example/${HOSTILE}`,
        files: 1,
        size: 1,
        password: false,
      } as Deployment;
      sendClaimPage(res, { status: 200, baseUrl: BASE_URL, claimed: claimedDeployment });
    },
  ],
  ['on the page of a domain', 15, (res) => sendSetupPage(res, hostileSetup, new Date())],
  ['on the page of a domain that cannot be shown', 1, (res) => sendSetupProblem(res, 500, HOSTILE, {})],
])('T17: hostile text %s is shown as plain text', (_, times, send) => {
  const page = renderPage(send);
  expect(page).not.toMatch(/<script|&lt;/);
  // In a shell command, a backslash precedes the quotation mark of the JSON.
  expect(page.replaceAll('&#92;', '').replaceAll('\\', '').split(ESCAPED_TEXT).length - 1).toBe(times);
});

it.each([
  ['a text', html`<p title="${'<"&>'}">${"it's"}</p>`, '<p title="&#60;&#34;&#38;&#62;">it&#39;s</p>'],
  ['HTML', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&#60;</b></p>'],
  ['a constant', html`<p>${rawHtml('<br>')}</p>`, '<p><br></p>'],
  ['a list', html`<ul>${['<', html`<li>`, null]}</ul>`, '<ul>&#60;\n<li>\n</ul>'],
  ['nothing', html`<p>${null}</p>`, '<p></p>'],
])('an html template escapes only plain text: %s', (_, { markup }, expected) => expect(markup).toBe(expected));

it.each([
  [0, '1 second', '1 second'],
  [59_400, '59 seconds', '59 seconds'],
  [59_900, '1 minute', '1 minute'],
  [61_000, '2 minutes', '1 minute'],
  [89 * 60_000, '89 minutes', '89 minutes'],
  [91 * 60_000, '2 hours', '1 hour'],
  [35 * 3_600_000, '35 hours', '35 hours'],
  [37 * 3_600_000, '2 days', '1 day'],
  [1_500 * 86_400_000, '1,500 days', '1,500 days'],
])(
  'a time span of %d ms is shown as %s if it is ahead, so that clients never retry too early, and as %s if it is past',
  (spanMs, ahead, ago) => {
    expect([formatDuration(spanMs), formatDuration(spanMs, Math.floor)]).toEqual([ahead, ago]);
  },
);
