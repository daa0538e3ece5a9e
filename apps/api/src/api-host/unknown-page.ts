import type { Response } from 'express';
import { writePage } from '../pages/frame.ts';
import { html } from '../pages/html.ts';
import { chooseLanguage, LANGUAGES } from '../pages/languages/languages.ts';

/**
 * Sends the page for an address of the service that does not exist, in the language that the visitor prefers.
 *
 * @param abuseContact The URL for reports of abuse; `null` for none. Source: api §2.
 */
export function sendUnknownPage(res: Response, abuseContact: string | null): void {
  const language = chooseLanguage(res.req.headers['accept-language']);
  const { title, text, link } = LANGUAGES[language].unknownServicePage;
  const parts = [...text.map((paragraph) => html`<p>${paragraph}</p>`), html`<p><a href="/">${link}</a></p>`];
  // Only pages of the service itself may read its pages.
  res.removeHeader('Access-Control-Allow-Origin');
  writePage(res, { status: 404, title, parts, language, indexed: false, abuseContact }, { Vary: 'Accept' });
}
