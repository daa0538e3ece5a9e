import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Document } from '@berth/testing/open-api';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import type { Program, Site } from '../programs/outcome.ts';
import { GENERATORS, generateClients } from './generate.ts';

const DOCUMENTS = ['/openapi.json', '/openapi-3.0.json'];

const server = useServer({ clean: true });
/** The compiled programs, by generator, for each of the documents. */
let programs: Record<string, URL[]>;

beforeAll(async () => {
  const documents = DOCUMENTS.map(async (path) => (await server().api(path, { key: null })).json<Document>());
  programs = await generateClients(await Promise.all(documents));
});

const CLIENTS = Object.keys(GENERATORS).flatMap((generator) => DOCUMENTS.map((path, at) => ({ generator, path, at })));

describe.each(CLIENTS)('api §9: the client that $generator generates from $path', ({ generator, at }) => {
  it('publishes sites, reads all pages of a list, and reads the details of errors', async () => {
    const { key } = await server().account('team');
    const sites = await Promise.all(['one', 'two', 'three'].map(createSite));
    const { program } = (await import(programs[generator]![at]!.href)) as { program: Program };
    const outcome = await program({ baseUrl: `http://localhost:${server().port}`, key }, sites);

    expect(outcome.listed).toEqual(outcome.published.toReversed());
    expect(outcome).toMatchObject({
      pages: Math.ceil(outcome.published.length / 2),
      missing: expect.stringContaining('deployment'),
      invalidField: 'labels.0',
    });
    for (const url of outcome.published) {
      const pages = ['/', '/assets/style.css'].map(async (path) => (await server().visit(url, path)).text);
      expect(await Promise.all(pages)).toEqual([expect.stringMatching(/^(one|two|three)$/), 'body {}']);
    }
  });
});

it.each(Object.keys(GENERATORS))(
  'the program over the client of %s uses its types without an assertion',
  async (name) => {
    const source = await readFile(new URL(`../programs/${name}.ts`, import.meta.url), 'utf8');
    expect(source).not.toMatch(/\bas\b|\bany\b|@ts-|!\.|!\[/);
  },
);

async function createSite(text: string): Promise<Site> {
  const files = [
    new File([text], 'index.html', { type: 'text/html' }),
    new File(['body {}'], 'assets/style.css', { type: 'text/css' }),
  ];
  const zip = new ZipFile();
  for (const file of files) zip.addBuffer(Buffer.from(await file.bytes()), file.name);
  zip.end();
  return { files, zip: new Blob([Uint8Array.from(await buffer(zip.outputStream))]) };
}
