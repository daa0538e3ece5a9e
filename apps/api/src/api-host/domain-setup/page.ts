import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import type { DomainSetup, SetupRecord } from '@berth/core';
import { PAGE_HEADERS } from '../../http/page-headers.ts';
import { escapeHtml, PAGE_ICON, PAGE_MARK } from '../../http/page-parts.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
  'Content-Security-Policy': `default-src 'none'; style-src ${PAGE_STYLE_HASH}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ...PAGE_HEADERS,
};

const HEADLINES: Record<DomainSetup['status'] | 'failing', string> = {
  pending: 'Waiting for the DNS records',
  partial: 'Some records are there',
  success: 'All records are there',
  failing: 'Not all records are there any more',
  paused: 'This domain is paused',
};
const LABELS: Record<SetupRecord['state'], string> = {
  found: 'found',
  missing: 'not right yet',
  unanswered: 'no answer',
  unseen: 'not looked at yet',
};

/**
 * Answers with the page of a domain: no script, nothing foreign, not stored, not indexed. To HEAD it sends the headers
 * alone.
 *
 * @param now The time by which "a minute ago" is told. Source: contract §4; security T17, §7.
 */
export function sendSetupPage(res: ServerResponse, setup: DomainSetup, now: Date): void {
  const { domain, status, records, provider, wholeNames, steps } = setup;
  const name = escapeHtml(domain);
  const unicode = domainToUnicode(domain);
  const many = records.length > 1 || records.some(({ values }) => values.length > 1);
  const where = provider === null ? '' : `, at ${escapeHtml(provider)}`;
  const shown = status === 'success' && records.some(({ state }) => state === 'missing') ? 'failing' : status;
  const isDone = shown === 'success';
  send(res, 200, `${HEADLINES[shown]} – ${domain}`, [
    `<h1>DNS for <b>${name}</b></h1>`,
    ...(unicode !== domain && unicode !== ''
      ? [`<p class="spelling">That is ${escapeHtml(unicode)}, as DNS writes it.</p>`]
      : []),
    `<p>${
      isDone
        ? `The domain leads where it should. There is nothing left to do, but ${many ? 'the records have' : 'the record has'} to stay.`
        : `For this domain to ${shown === 'failing' ? 'go on working' : 'work'}, ${many ? 'the records below have' : 'the record below has'} to be added to its DNS${where}. Whoever looks after the DNS can do it with this page alone.`
    }</p>`,
    statusBox(setup, shown, now),
    `<h2>${many ? 'Records' : 'Record'}${isDone ? '' : ' to add'}</h2>`,
    `<ol class="records">${records.map((record) => recordItem(record, wholeNames)).join('\n')}</ol>`,
    '<p class="hint">Click a name or a value to select all of it.</p>',
    ...(isDone
      ? []
      : [
          `<h2>How to add ${many ? 'them' : 'it'}${provider === null ? '' : ` at ${escapeHtml(provider)}`}</h2>`,
          `<ol class="steps">${steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('\n')}</ol>`,
        ]),
  ]);
}

/** Answers with a page that says why there is none for this link. */
export function sendSetupProblem(
  res: ServerResponse,
  status: number,
  requestId: string,
  headers: OutgoingHttpHeaders,
): void {
  const [title, text] =
    status === 404
      ? [
          'There is nothing at this address',
          'The link may be incomplete, or the domain was removed since. If somebody gave you the link, ask them for a new one.',
        ]
      : [
          'This page cannot be shown right now',
          `Please try again in a moment. If it happens again, quote this number to whoever runs the service: ${requestId}`,
        ];
  send(res, status, title, [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(text)}</p>`], headers);
}

function statusBox(
  { records, checked, nextCheck, waitSeconds }: DomainSetup,
  status: keyof typeof HEADLINES,
  now: Date,
): string {
  const seen = records.filter(({ state }) => state === 'found').length;
  const count = status === 'partial' ? ` (${seen} of ${records.length})` : '';
  const looked = checked === null ? 'Nobody has looked yet.' : `Last look: ${ago(checked, now)}.`;
  const next =
    nextCheck === null || status === 'paused'
      ? ''
      : ` Next one: ${nextCheck > now ? `in ${inWords(nextCheck.getTime() - now.getTime())}` : 'soon'}, by itself.`;
  const wait = waitSeconds === 0 ? '' : ` You can check again in ${inWords(waitSeconds * 1000)}.`;
  const paused = status === 'paused' ? 'It shows a notice until whoever manages it resumes it. Keep the records. ' : '';
  return `<section class="status ${status}" aria-label="Status">
<div><p class="headline" role="status">${HEADLINES[status]}${count}</p>
<p>${paused}${looked}${next}${wait}</p></div>
<form method="post"><button type="submit">Check now</button></form>
</section>`;
}

function recordItem({ type, name, relative, values, state, reason }: SetupRecord, wholeNames: boolean): string {
  const [first, second, form] = wholeNames ? [name, relative, 'short'] : [relative, name, 'whole'];
  const other = `<span class="other">or, where the ${form} name is wanted, <code>${escapeHtml(second)}</code></span>`;
  const one = values.length === 1 ? 'Value' : 'Values, a record each';
  return `<li class="${state}">
<p class="type"><b>${type}</b> <span class="state">${LABELS[state]}</span></p>
<dl>
<dt>Name</dt><dd><code>${escapeHtml(first)}</code>${other}</dd>
<dt>${one}</dt><dd>${values.map((value) => `<code>${escapeHtml(value)}</code>`).join('\n')}</dd>
</dl>
${reason === null ? '' : `<p class="reason">${escapeHtml(reason)}</p>\n`}</li>`;
}

function ago(then: Date, now: Date): string {
  const passedMs = now.getTime() - then.getTime();
  return passedMs < 5_000 ? 'just now' : `${inWords(passedMs)} ago`;
}

function inWords(spanMs: number): string {
  const seconds = Math.max(1, Math.round(spanMs / 1000));
  const [amount, unit] =
    seconds < 90
      ? [seconds, 'second']
      : seconds < 90 * 60
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 36 * 3600
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function send(
  res: ServerResponse,
  status: number,
  title: string,
  parts: readonly string[],
  headers: OutgoingHttpHeaders = {},
): void {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${PAGE_MARK}
${parts.join('\n')}
</main>
<footer>Berth</footer>
</body>
</html>
`;
  res.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(html) }).end(html);
}
