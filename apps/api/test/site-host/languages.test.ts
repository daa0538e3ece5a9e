// cspell:disable
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseLanguage, LANGUAGES } from '../../src/pages/languages/languages.ts';

describe('S5: the language of a page for visitors is the preferred one of those that exist', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-Latn-DE-1996', 'de'],
    ['en-US,en;q=0.9,de;q=0.8', 'en'],
    ['fr, de;q=0.5, en;q=0.3', 'de'],
    ['fr;q=1, en;q=0.1', 'en'],
    ['en;q=0.1, de;q=0.2', 'de'],
    ['de;q=0.5,en;q=0.5', 'de'],
    ['de;q=0', 'en'],
    ['*, de;q=0.9', 'en'],
    ['fr, ja', 'en'],
    ['dead', 'en'],
    ['constructor, __proto__', 'en'],
    ['de;q=2', 'en'],
    ['de;level=1;q=1', 'en'],
    [`${'fr,'.repeat(1_000)}de`, 'en'],
  ])('%j: %s', (header, language) => expect(chooseLanguage(header)).toBe(language));
});

it('every language has its own texts', () => {
  const textsOf = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [typeof value === 'function' ? (value as (duration: string) => string)('1') : value];
  const english = new Set(textsOf(LANGUAGES.en));
  expect(textsOf(LANGUAGES.de).filter((text) => english.has(text))).toEqual([]);
});

describe('S5, S58: the pages for visitors', () => {
  const server = useServer({ clean: true, env: { RATE_LIMITS: 'unlock=2/min' } });
  let site: string;
  let locked: string;
  beforeAll(async () => {
    site = (await server().publish({ 'index.html': 'home', 'own/404.html': 'own' })).url;
    locked = (await server().publish({ 'index.html': 'x' }, { fields: { password: 'open-sesame' } })).url;
  });
  const German = { 'Accept-Language': 'de-DE,de;q=0.9,en;q=0.8' };

  it('are German for visitors who prefer it, and say so', async () => {
    for (const [url, path, title, vary] of [
      [site, '/nothing', 'Diese Seite wurde nicht gefunden', 'Accept-Language'],
      ['http://calm-otter-0000000.localhost', '/', 'Unter dieser Adresse gibt es nichts', 'Accept-Language'],
      [locked, '/', 'Diese Website ist durch ein Passwort geschützt', 'Accept-Language, Cookie'],
    ] as const) {
      const { headers, text } = await server().visit(url, path, { headers: German });
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toContain('<html lang="de">');
      expect(headers).toMatchObject({ 'content-language': 'de', vary });
      const english = await server().visit(url, path);
      expect(english.text).toContain('<html lang="en">');
      expect(english.headers).toMatchObject({ 'content-language': 'en', vary });
    }
  });

  it('have the same status for all languages, and pages of the site stay as they are', async () => {
    const responses = await Promise.all(
      [undefined, 'de'].map((language) =>
        server().visit(site, '/own/x', { headers: language ? { 'Accept-Language': language } : {} }),
      ),
    );
    for (const { status, text, headers } of responses) {
      expect([status, text]).toEqual([404, 'own']);
      expect(headers).not.toHaveProperty('content-language');
    }
  });

  it('name times in their language', async () => {
    const form = {
      method: 'POST',
      body: 'password=wrong-password',
      headers: { ...German, 'Content-Type': 'application/x-www-form-urlencoded' },
    };
    let response = await server().visit(locked, '/.berth/unlock', form);
    expect(response.text).toContain('Fehler: ');
    while (response.status === 401) response = await server().visit(locked, '/.berth/unlock', form);
    expect(response.status).toBe(429);
    expect(response.text).toMatch(/Sie können es in \d+ (?:Minuten?|Sekunden?) wieder versuchen\./);
  });
});

describe('api §2: an unknown path of the API host', () => {
  const server = useServer();
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it('is a page for browsers, in their language', async () => {
    const { status, headers, text } = await server().api('/no/such/page', { key: null, headers: browser });
    expect(status).toBe(404);
    expect(text).toContain('<h1>This page could not be found</h1>');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept-Language, Accept',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    const german = await server().api('/nichts', { key: null, headers: { ...browser, 'Accept-Language': 'de' } });
    expect(german.text).toContain('<h1>Diese Seite wurde nicht gefunden</h1>');
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html'])(
    'is the error body for clients that accept %s',
    async (Accept) => {
      const response = await server().api('/no/such/page', { key: null, ...(Accept && { headers: { Accept } }) });
      expect(response.json()).toMatchObject({ error: 'not_found', status: 404 });
    },
  );
});
