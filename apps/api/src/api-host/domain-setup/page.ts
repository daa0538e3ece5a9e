import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import type { DomainSetup, SetupRecord } from '@berth/core';
import { writePage } from '../../pages/frame.ts';
import { html, type Html, type HtmlValue, reportNote } from '../../pages/html.ts';
import { formatDuration } from '../../pages/format.ts';
import { SETUP_STYLE } from './page-style.ts';

const FRAME = { style: SETUP_STYLE, form: true, indexed: false };

const HEADLINES: Record<DomainSetup['status'] | 'failing', string> = {
  pending: 'Waiting for the DNS records',
  partial: 'Some DNS records were found',
  success: 'All DNS records were found',
  failing: 'Some DNS records are no longer there',
  paused: 'This domain is paused',
};
const LABELS: Record<SetupRecord['state'], string> = {
  found: 'found',
  missing: 'not correct yet',
  unanswered: 'no answer',
  unseen: 'not checked yet',
};

/** Sends the set-up page of a domain. @param now The current time. Source: api §4; security T17, §7. */
export function sendSetupPage(res: ServerResponse, setup: DomainSetup, now: Date): void {
  const { domain, status, records, provider, wholeNames, steps } = setup;
  const unicodeDomain = domainToUnicode(domain);
  const isPlural = records.length > 1 || records.some(({ values }) => values.length > 1);
  const atProvider = provider === null ? '' : ` at ${provider}`;
  const shownStatus = status === 'success' && records.some(({ state }) => state === 'missing') ? 'failing' : status;
  const isDone = shownStatus === 'success';
  const intro = isDone
    ? `The domain is set up correctly. There is nothing left to do; do not remove ${isPlural ? 'the records' : 'the record'}.`
    : `${isPlural ? 'The records below' : 'The record below'} must be added to the DNS of this domain${atProvider}, so that it ${shownStatus === 'failing' ? 'keeps working' : 'works'}. This page has everything that is needed for it.`;
  const parts: HtmlValue[] = [
    html`<p>${intro}</p>`,
    statusBox(setup, shownStatus, now),
    html`<h2>${isPlural ? 'Records' : 'Record'}${isDone ? '' : ' to add'}</h2>`,
    html`<ol class="records">${records.map((record) => recordItem(record, wholeNames))}</ol>`,
    html`<p class="hint">Click a name or a value to select it.</p>`,
  ];
  if (unicodeDomain !== domain && unicodeDomain !== '')
    parts.unshift(html`<p class="hint">This is the DNS form of ${unicodeDomain}.</p>`);
  if (!isDone)
    parts.push(
      html`<h2>How to add ${isPlural ? 'them' : 'it'}${atProvider}</h2>`,
      html`<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>`,
    );
  const heading = html`DNS for <b>${domain}</b>`;
  writePage(res, { ...FRAME, status: 200, title: `${HEADLINES[shownStatus]} – ${domain}`, heading, parts });
}

/** Sends a page that explains why there is no set-up page at this address. */
export function sendSetupProblem(
  res: ServerResponse,
  status: number,
  requestId: string,
  headers: OutgoingHttpHeaders,
): void {
  const isUnknown = status === 404;
  const title = isUnknown ? 'There is nothing at this address' : 'This page cannot be shown right now';
  const unknownLink = html`<p>The link may be incomplete, or the domain was removed. If you got the link from someone, ask them for a new one.</p>`;
  const parts = isUnknown ? [unknownLink] : [html`<p>Please try again in a moment.</p>`, reportNote(requestId)];
  writePage(res, { ...FRAME, status, title, parts }, headers);
}

function statusBox(
  { records, checked, nextCheck, waitSeconds }: DomainSetup,
  status: keyof typeof HEADLINES,
  now: Date,
): Html {
  const foundCount = records.filter(({ state }) => state === 'found').length;
  const count = status === 'partial' ? ` (${foundCount} of ${records.length})` : '';
  const lastCheckText = checked === null ? 'Not checked yet.' : `Last check: ${formatAgo(checked, now)}.`;
  const nextCheckText =
    nextCheck === null || status === 'paused'
      ? ''
      : ` Next automatic check: ${nextCheck > now ? `in ${formatDuration(nextCheck.getTime() - now.getTime())}` : 'soon'}.`;
  const waitText = waitSeconds === 0 ? '' : ` You can check again in ${formatDuration(waitSeconds * 1000)}.`;
  const paused =
    status === 'paused' ? 'Visitors see a notice until the owner of the domain resumes it. Keep the records. ' : '';
  return html`<section class="status ${status}" aria-label="Status">
<div><p class="headline" role="status">${HEADLINES[status]}${count}</p>
<p>${paused}${lastCheckText}${nextCheckText}${waitText}</p></div>
<form method="post"><button type="submit">Check now</button></form>
</section>`;
}

function recordItem({ type, name, relative, values, state, reason }: SetupRecord, wholeNames: boolean): Html {
  const [first, second, form] = wholeNames ? [name, relative, 'short'] : [relative, name, 'whole'];
  const otherNameHtml = html`<span class="other">or, if your provider expects the ${form} name, <code>${second}</code></span>`;
  const label = values.length === 1 ? 'Value' : 'Values, one record each';
  return html`<li class="${state}">
<p class="type"><b>${type}</b> <span class="state">${LABELS[state]}</span></p>
<dl>
<dt>Name</dt><dd><code>${first}</code>${otherNameHtml}</dd>
<dt>${label}</dt><dd>${values.map((value) => html`<code>${value}</code>`)}</dd>
</dl>
${reason === null ? null : html`<p class="reason">${reason}</p>\n`}</li>`;
}

function formatAgo(then: Date, now: Date): string {
  const passedMs = now.getTime() - then.getTime();
  return passedMs < 5_000 ? 'just now' : `${formatDuration(passedMs, Math.floor)} ago`;
}
