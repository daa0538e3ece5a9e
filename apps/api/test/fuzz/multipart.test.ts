import { hash } from 'node:crypto';
import { type CreatedDeployment, isJunk, normalizePath, normalizeVia } from '@berth/contract';
import { createLiveSites } from '@berth/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksums, field, file, type Form, multipart, type Part, post } from '../multipart.ts';
import { closeClean, expectErrorAnswer, footprintOf } from '../standing-asserts.ts';
import { type Answer, startTestServer, type TestServer } from '../test-server.ts';
import { readForm } from './second-parser.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => closeClean(server));

const BOUNDARY = 'bound';
const FILES = [
  file('index.html', 'home'),
  file('a/b.txt', 'line\r\n--boun\r\n'),
  file('.DS_Store', 'junk'),
  file('é.txt', ''),
];
const FIELDS = [field('labels', '["one","two"]'), field('via', 'cli')];
const GOOD: readonly Part[] = [...FILES, ...FIELDS];

/** What is published by an answer: the bytes by path as visitors get them, and the fields. */
async function published(answer: Answer): Promise<object> {
  const { deployment, labels, via, password } = answer.json<CreatedDeployment>();
  const site = await createLiveSites(server.berth.core).find(deployment);
  const files = await Promise.all(
    [...site!.manifest].map(async ([path, place]) => [
      path,
      (await server.berth.core.packs.read(place)).toString('latin1'),
    ]),
  );
  return { files: Object.fromEntries(files), labels, via, password };
}

/** The same, as the second parser reads the body. */
function extracted({ body }: Form): object {
  const parts = readForm(body, BOUNDARY);
  expect(parts, 'a body that was accepted is well formed').not.toBeNull();
  const files = parts!
    .filter(({ name, filename }) => name === 'files[]' && filename !== undefined)
    .map(({ filename, bytes }): [string, string] => {
      const path = normalizePath(filename!);
      return [path.ok ? path.path : `refused ${filename}`, bytes.toString('latin1')];
    });
  const text = (wanted: string) => parts!.find(({ name }) => name === wanted)?.bytes.toString();
  return {
    files: Object.fromEntries(files.filter(([path]) => !isJunk(path))),
    labels: JSON.parse(text('labels') ?? '[]'),
    via: normalizeVia(text('via')),
    password: text('password') !== undefined,
  };
}

let accepted = 0;

/** Whatever is sent: it is answered, either with an error that changes nothing, or with what the body says. */
async function judge(form: Form): Promise<void> {
  const before = await footprintOf(server);
  const answer = await post(server, form, { key: null });
  if (answer.status === 201) {
    accepted += 1;
    expect(await published(answer)).toEqual(extracted(form));
  } else {
    expectErrorAnswer(answer, answer.status === 413 ? 'payload_too_large' : 'validation_failed');
    expect(await footprintOf(server)).toEqual(before);
    expect(server.berth.core.activePacks.size).toBe(0);
  }
}

/** Bytes with a meaning somewhere in a form. */
const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '--',
  '"',
  '\\',
  ';',
  ':',
  ' ',
  '\t',
  '=',
  '*',
  '%',
  '/',
  '..',
  '\0',
  '\xff',
  '\xc3',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\r\n--${BOUNDARY}--`,
  'filename=',
  `filename*=UTF-8''x`,
  '; name="via"',
  'files[]',
  'charset=utf-7',
  'Content-Disposition: form-data',
];
const token = fc.constantFrom(...TOKENS);

type Mutation = { kind: 'insert' | 'replace' | 'remove' | 'repeat' | 'cut'; at: number; length: number; token: string };
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'insert', 'replace', 'replace', 'remove', 'repeat', 'cut'),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 12 }),
  token,
});

/** A disposition as one client or another might write it. */
const disposition = fc
  .record({
    type: fc.constantFrom('form-data', 'Form-Data', 'form-data ', 'form-data\t', 'attachment'),
    parameters: fc.uniqueArray(
      fc.constantFrom(
        'filename="c.txt"',
        'filename=c.txt',
        'filename="c d.txt"',
        'filename="./é.txt"',
        String.raw`filename="c\"d"`,
        "filename*=UTF-8''c%20%C3%A9.txt",
        "filename*=iso-8859-1''%E9.txt",
        'filename=""',
        'x="y;z"',
      ),
      { minLength: 1, maxLength: 3 },
    ),
    name: fc.constantFrom('name="files[]"', 'name="files[]"', 'NAME="files[]"', 'name=via'),
    nameFirst: fc.boolean(),
    separator: fc.constantFrom(';', '; ', ' ;\t', ';\r\n '),
  })
  .map(
    ({ type, parameters, name, nameFirst, separator }) =>
      `Content-Disposition: ${[type, ...(nameFirst ? [name, ...parameters] : [...parameters, name])].join(separator)}`,
  );

function mutate(text: string, { kind, at, length, token }: Mutation): string {
  const place = at % (text.length + 1);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  switch (kind) {
    case 'insert':
      return before + token + after;
    case 'replace':
      return before + token + after.slice(token.length);
    case 'remove':
      return before + after.slice(length);
    case 'repeat':
      return before + after.slice(0, length * 8) + after;
    case 'cut':
      return before;
  }
}

describe('T8: of a good form that was changed', () => {
  it('any bytes, only what a second parser extracts is ever published', async () => {
    const good = multipart([...GOOD, checksums(...FILES.map(({ body }) => body))], { boundary: BOUNDARY });
    await judge(good);
    expect(accepted).toBe(1);
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const text = mutations.reduce(mutate, good.body.toString('latin1'));
        await judge({ ...good, body: Buffer.from(text, 'latin1') });
      }),
      { numRuns: 100 },
    );
  });

  it('the headers of its parts, with checksums that fit, only what a second parser extracts is ever published', async () => {
    accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(GOOD.length - 1),
        disposition,
        fc.array(mutation, { maxLength: 1 }),
        async (which, text, mutations) => {
          const headers = [mutations.reduce(mutate, latin1(text))];
          const parts = GOOD.map((part, i) => ({
            body: latin1(part.body),
            headers: i === which ? headers : part.headers.map(latin1),
          }));
          // What a client would send that reads its own form as the second parser does.
          const files = readForm(latin1Form(parts).body, BOUNDARY)?.filter(({ filename }) => filename !== undefined);
          const sums = (files ?? []).map(({ bytes }) => hash('md5', bytes));
          await judge(latin1Form([...parts, field('checksums', JSON.stringify(sums))]));
        },
      ),
      { numRuns: 140 },
    );
    // Else the property says little.
    expect(accepted).toBeGreaterThan(10);
  });
});

const latin1 = (text: string | Buffer) => Buffer.from(text).toString('latin1');

/** A form whose text stands for bytes. */
function latin1Form(parts: readonly Part[]): Form {
  const { contentType, body } = multipart(parts, { boundary: BOUNDARY });
  return { contentType, body: Buffer.from(body.toString(), 'latin1') };
}
