import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ANONYMOUS_TTL_SECONDS, CREDENTIAL_PREFIX, type Deployment, formatBytes } from '@berth/contract';
import { type Page, writePage } from '../../pages/frame.ts';
import { html, type Html, reportNote } from '../../pages/html.ts';
import { formatCount, formatDuration } from '../../pages/format.ts';
import { CLAIM_STYLE } from './page-style.ts';
import type { Problem } from './problems.ts';

/** A site that can be claimed. */
export interface NamedSite {
  /** The title of its front page; `null` for none. */
  title: string | null;
  url: string;
  /** How long the site lasts unless it is claimed. */
  leftMs: number;
}

/** The form of the page. */
export interface ClaimForm {
  /** The claim link. */
  claim: string;
  /** `null` if the site is not known. */
  site: NamedSite | null;
}

export interface ClaimPage {
  status: number;
  baseUrl: URL;
  /** Absent if there is nothing to claim. */
  form?: ClaimForm;
  problem?: Problem;
  claimed?: Deployment;
  /** The URL for reports of abuse. Default: none. */
  abuseContact?: string | null;
}

const UNNAMED = html`<p>This site was published without an account. It is removed after ${String(ANONYMOUS_TTL_SECONDS / 86_400)} days, unless an account claims it; then it is permanent.</p>`;

/** Sends the claim page. @param headers Additional headers. Source: security T17, T24, §7. */
export function sendClaimPage(res: ServerResponse, page: ClaimPage, headers: OutgoingHttpHeaders = {}): void {
  const { status, abuseContact = null } = page;
  const frame = { style: CLAIM_STYLE, form: true, indexed: false, abuseContact };
  writePage(res, { status, ...contentOf(page), ...frame }, headers);
}

function contentOf({ baseUrl, form, problem, claimed }: ClaimPage): Pick<Page, 'title' | 'heading' | 'parts'> {
  if (claimed) return { title: 'The site is yours', parts: claimedParts(claimed) };
  if (!form) return { title: problem!.title, parts: [html`<p>${problem!.text}</p>`] };
  const heading = 'Keep this site';
  return {
    title: problem ? `${problem.title} – ${heading}` : heading,
    heading,
    parts: [
      ...(form.site ? siteParts(form.site) : [UNNAMED]),
      problem ? problemBox(problem) : null,
      formOf(baseUrl, problem),
      terminalCommand(baseUrl, form.claim),
    ],
  };
}

/** What a browser without JavaScript shows for a claim link, in the document of the console. Source: api §13; security T17. */
export function claimNotice(site: NamedSite): Html {
  return html`<main>
<h1>Keep this site</h1>
${siteParts(site)}
<p>To keep it, turn JavaScript on in your browser and reload the page, or <a href="?form">use an API key</a>.</p>
</main>`;
}

function siteParts({ title, url, leftMs }: NamedSite): Html[] {
  const left = formatDuration(leftMs, Math.floor);
  const link = html`<a href="${url}" rel="noreferrer">${new URL(url).host}</a>`;
  return [
    html`<p class="site">${title === null ? link : html`${title}, at ${link}`}</p>`,
    html`<p>This site was published without an account. It is removed in ${left}, unless an account claims it; then it is permanent.</p>`,
  ];
}

function claimedParts({ url, files, size, password }: Deployment): Html[] {
  return [
    html`<p>It no longer expires and keeps its address${password ? ' and its password' : ''}. It has ${formatCount(files, 'file')}, ${formatBytes(size)} in total.</p>`,
    html`<p class="site"><a href="${url}" rel="noreferrer">${new URL(url).host}</a></p>`,
    html`<p>You can close this page. No other account can claim the site now.</p>`,
  ];
}

function problemBox({ title, text, requestId = '' }: Problem): Html {
  return html`<div class="problem" role="alert" id="problem">
<h2>${title}</h2>
<p>${text}</p>
${reportNote(requestId)}
</div>`;
}

function formOf({ host }: URL, problem?: Problem): Html {
  const invalid = problem ? html` aria-invalid="true" autofocus` : null;
  return html`<form method="post">
<label for="key">API key of your account</label>
<input id="key" name="key" type="password" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" placeholder="${CREDENTIAL_PREFIX.api}-…" aria-describedby="hint${problem ? ' problem' : ''}"${invalid}>
<p class="hint" id="hint">It begins with <code>${CREDENTIAL_PREFIX.api}-</code> and is sent only to ${host}.</p>
<button type="submit">Claim the site</button>
</form>`;
}

function terminalCommand({ origin }: URL, claim: string): Html {
  const command = [
    `curl -X POST ${origin}/account/claim \\`,
    `  -H 'Authorization: Bearer ${CREDENTIAL_PREFIX.api}-…' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ claim })}'`,
  ];
  return html`<details>
<summary>From a terminal</summary>
<pre>${command.join('\n')}</pre>
</details>`;
}
