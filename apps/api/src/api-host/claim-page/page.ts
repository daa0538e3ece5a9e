import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ANONYMOUS_TTL_SECONDS, CREDENTIAL_PREFIX, type Deployment } from '@berth/contract';
import { PAGE_HEADERS } from '../../http/page-headers.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';
import type { Problem } from './problems.ts';

/** What the claim page says. */
export interface ClaimPage {
  status: number;
  baseUrl: URL;
  /** The form, which claims by its own address; absent when there is nothing to claim. */
  form?: { claim: string };
  /** Why the last try came to nothing. */
  problem?: Problem;
  /** What was claimed. */
  claimed?: Deployment;
}

const DAYS = ANONYMOUS_TTL_SECONDS / 86_400;

// A mooring post with a line around it, above the water.
const MARK =
  '<rect x="14" y="9" width="20" height="6.5" rx="3.25"/><path d="M18.5 15.5 17 33M29.5 15.5 31 33"/>' +
  '<path d="M18 22c4 2 8.5 2 12 0M17.5 26.5c8 3.5 18 1 26.5-5.5"/><path d="M4 33h40"/>' +
  '<path d="M4 40c3.3-2.6 6.7-2.6 10 0s6.7 2.6 10 0 6.7-2.6 10 0 6.7 2.6 10 0"/>';
const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 4 42 42" fill="none" stroke="#3d8b98" stroke-width="3">${MARK}</svg>`)}`;

/** `Referrer-Policy` stays `same-origin`: without any referrer a browser sends forms with `Origin: null`. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
  'Content-Security-Policy': `default-src 'none'; style-src ${PAGE_STYLE_HASH}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ...PAGE_HEADERS,
};

/**
 * Answers with the claim page: no script, nothing foreign, not stored, not indexed. To HEAD it sends the headers alone.
 *
 * @param headers What this answer has besides. Source: security T17, T24, §7.
 */
export function sendClaimPage(res: ServerResponse, page: ClaimPage, headers: OutgoingHttpHeaders = {}): void {
  const { title, parts } = contentOf(page);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<svg viewBox="3 6 42 38" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${MARK}</svg>
${parts.join('\n')}
</main>
<footer>Berth</footer>
</body>
</html>
`;
  res.writeHead(page.status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(html) }).end(html);
}

function contentOf({ baseUrl, form, problem, claimed }: ClaimPage): { title: string; parts: string[] } {
  if (claimed) return { title: 'The site is yours', parts: claimedParts(claimed) };
  if (!form) {
    const { title, text } = problem!;
    return { title, parts: [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(text)}</p>`] };
  }
  const title = 'Keep this site';
  return {
    title: problem ? `${problem.title} – ${title}` : title,
    parts: [
      `<h1>${title}</h1>`,
      `<p>A link like this comes with every site that is published without an account. Such a site is removed after ${DAYS} days, unless an account claims it: then it stays for good.</p>`,
      ...(problem ? [problemBox(problem)] : []),
      formOf(baseUrl, problem),
      terminal(baseUrl, form.claim),
    ],
  };
}

function claimedParts({ url, files, size, password }: Deployment): string[] {
  const host = new URL(url).host;
  return [
    '<h1>The site is yours</h1>',
    `<p>It no longer expires, and stays at its address${password ? ', behind its password' : ''}. It has ${count(files, 'file')}, ${inBytes(size)} in all.</p>`,
    `<p class="site"><a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(host)}</a></p>`,
    '<p>This page can be closed. Nobody else can claim the site any more.</p>',
  ];
}

function problemBox({ title, text, requestId }: Problem): string {
  const named = requestId
    ? `\n<p>If it happens again, quote this number to whoever runs the service: <code>${escapeHtml(requestId)}</code></p>`
    : '';
  return `<div class="problem" role="alert" id="problem">
<h2>${escapeHtml(title)}</h2>
<p>${escapeHtml(text)}</p>${named}
</div>`;
}

function formOf({ host }: URL, problem?: Problem): string {
  return `<form method="post">
<label for="key">API key of your account</label>
<input id="key" name="key" type="password" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" placeholder="${CREDENTIAL_PREFIX.api}-…" aria-describedby="hint${problem ? ' problem' : ''}"${problem ? ' aria-invalid="true" autofocus' : ''}>
<p class="hint" id="hint">It begins with <code>${CREDENTIAL_PREFIX.api}-</code>, and is sent to ${escapeHtml(host)} alone.</p>
<button type="submit">Claim the site</button>
</form>`;
}

function terminal({ origin }: URL, claim: string): string {
  const command = [
    `curl -X POST ${origin}/account/claim \\`,
    `  -H 'Authorization: Bearer ${CREDENTIAL_PREFIX.api}-…' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ claim })}'`,
  ];
  return `<details>
<summary>From a terminal</summary>
<pre>${escapeHtml(command.join('\n'))}</pre>
</details>`;
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}

function inBytes(size: number): string {
  if (size < 1024) return count(size, 'byte');
  const power = Math.min(3, Math.floor(Math.log2(size) / 10));
  const amount = size / 1024 ** power;
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${['', 'KiB', 'MiB', 'GiB'][power]}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
