import { hash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type CreatedDeployment, isJunk, normalizePath, normalizeVia } from '@berth/contract';
import { LiveSiteCache, type LiveSites } from '@berth/core/sites';
import type { Site } from '@berth/serving';
import { expectError, footprintOf } from '@berth/testing/expectations';
import { loadFiles } from '@berth/testing/internals';
import { checksums, field, file, type Form, multipart, type Part } from '@berth/testing/multipart';
import type { HttpResponse } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readForm } from './second-parser.ts';

/** The number of mutated bodies to send. */
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 2_000);
const BATCH_SIZE = 250;
const SOCKETS = 8;
/** The server responds to a small body in less time, even on a busy machine. */
const RESPONSE_TIMEOUT_MS = 60_000;

const server = useServer({ clean: true });
let sites: LiveSites;
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
beforeAll(async () => {
  sites = new LiveSiteCache(server().berth.core);
});
afterAll(() => agent.destroy());

const BOUNDARY = 'bound';
const FILES = [
  file('index.html', 'home'),
  file('a/b.txt', 'line\r\n--boun\r\n'),
  file('.DS_Store', 'junk'),
  file('é.txt', ''),
];
const FIELDS = [field('labels', '["one","two"]'), field('via', 'cli')];
const VALID_PARTS: readonly Part[] = [...FILES, ...FIELDS];

/** Returns the published bytes of each file, and the values of the fields. */
async function publishedContent(response: HttpResponse): Promise<object> {
  const { deployment, labels, via, password } = response.json<CreatedDeployment>();
  const site = (await sites.find({ deployment })) as Site;
  const files = await Promise.all(
    [...(await loadFiles(server().berth.core, deployment))!.keys()].map(async (path) => [
      path,
      (await server().berth.core.packs.read(await site.manifest.load(path))).toString('latin1'),
    ]),
  );
  return { files: Object.fromEntries(files), labels, via, password };
}

/** Returns what the second parser reads in a form, in the same structure. */
function parsedContent({ body }: Form): object {
  const parts = readForm(body, BOUNDARY);
  expect(parts, 'a body that was accepted is well formed').not.toBeNull();
  const files = parts!
    .filter(({ name, filename }) => name === 'files[]' && filename !== undefined)
    .map(({ filename, bytes }): [string, string] => {
      const path = normalizePath(filename!);
      return [path.ok ? path.path : `refused ${filename}`, bytes.toString('latin1')];
    });
  const text = (fieldName: string) => parts!.find(({ name }) => name === fieldName)?.bytes.toString();
  return {
    files: Object.fromEntries(files.filter(([path]) => !isJunk(path))),
    labels: JSON.parse(text('labels') ?? '[]'),
    via: normalizeVia(text('via')),
    password: text('password') !== undefined,
  };
}

/** Sends a form over one of the open connections. Rejects if no response arrives. */
function send({ contentType, body }: Form): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const req = request({
      host: '127.0.0.1',
      port: server().port,
      path: '/deployments',
      method: 'POST',
      agent,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      headers: { Host: `localhost:${server().port}`, 'Content-Type': contentType, 'Content-Length': body.length },
    });
    req.on('error', reject).on('response', (res) => {
      const chunks: Buffer[] = [];
      res
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          resolve({ status: res.statusCode!, headers: res.headers, bytes, text, json: () => JSON.parse(text) });
        });
    });
    req.end(body);
  });
}

/** Checks that a form is refused, or published as the second parser reads it. */
async function checkForm(form: Form): Promise<string[]> {
  const response = await send(form).catch((error: unknown) => expect.unreachable(`no response: ${String(error)}`));
  if (response.status !== 201) {
    expectError(response, response.status === 413 ? 'payload_too_large' : 'validation_failed');
    return [];
  }
  expect(await publishedContent(response)).toEqual(parsedContent(form));
  return [response.json<CreatedDeployment>().deployment];
}

/** Tables with rows of deployments. An anonymous deploy must not change any other table. */
const DEPLOYMENT_TABLES: ReadonlySet<string> = new Set([
  'front_page',
  'deployment',
  'manifest',
  'deployment_pack',
  'pack',
  'content',
  'issued_id',
  'change',
]);

/** Returns the state of the server without the expected deployments, or the whole state if none is expected. */
async function stateWithout(expectedIds: readonly string[]): Promise<object> {
  const { rows, files } = await footprintOf(server());
  const ids = await server().database.query<{ id: string }>(`select id from deployment order by id`);
  const otherRows = Object.entries(rows).filter(([table]) => expectedIds.length === 0 || !DEPLOYMENT_TABLES.has(table));
  return {
    deployments: ids.map(({ id }) => id).filter((id) => !expectedIds.includes(id)),
    rows: Object.fromEntries(otherRows),
    ...(expectedIds.length === 0 ? { files } : {}),
  };
}

/** Sends forms in parallel and checks that refused forms changed nothing. @returns The number of accepted forms. */
async function checkForms(forms: readonly Form[]): Promise<number> {
  const [wholeState, otherRows] = [await stateWithout([]), await stateWithout(['none'])];
  const queue = forms.values();
  const createdIds: string[] = [];
  await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      for (const form of queue)
        try {
          createdIds.push(...(await checkForm(form)));
        } catch (error) {
          throw new Error(`The check failed for ${JSON.stringify(form.body.toString('latin1'))}`, {
            cause: error,
          });
        }
    }),
  );
  expect(await stateWithout(createdIds)).toEqual(createdIds.length === 0 ? wholeState : otherRows);
  expect(server().berth.core.activePacks.size).toBe(0);
  return createdIds.length;
}

/** Bytes with a special meaning in a multipart form. */
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

/** A random `Content-Disposition`, as different clients write it. */
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
  const position = at % (text.length + 1);
  const [before, after] = [text.slice(0, position), text.slice(position)];
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

/** A valid form with random changes at any byte. */
const formWithChangedBytes = fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations): Form => {
  const validForm = createValidForm();
  const text = mutations.reduce(mutate, validForm.body.toString('latin1'));
  return { ...validForm, body: Buffer.from(text, 'latin1') };
});

/** A valid form with random changes in the headers of a part, and checksums of the files that remain. */
const formWithChangedHeaders = fc
  .tuple(fc.nat(VALID_PARTS.length - 1), disposition, fc.array(mutation, { maxLength: 1 }))
  .map(([changedIndex, text, mutations]): Form => {
    const headers = [mutations.reduce(mutate, latin1(text))];
    const parts = VALID_PARTS.map((part, i) => ({
      body: latin1(part.body),
      headers: i === changedIndex ? headers : part.headers.map(latin1),
    }));
    const files = readForm(latin1Form(parts).body, BOUNDARY)?.filter(({ filename }) => filename !== undefined);
    const checksumList = (files ?? []).map(({ bytes }) => hash('md5', bytes));
    return latin1Form([...parts, field('checksums', JSON.stringify(checksumList))]);
  });

function createValidForm(): Form {
  return multipart([...VALID_PARTS, checksums(...FILES.map(({ body }) => body))], { boundary: BOUNDARY });
}

it(`T8: a multipart body with random changes causes no fault and no timeout, and only files that a second parser also reads are published`, async () => {
  expect(await checkForms([createValidForm()])).toBe(1);
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
  // Three of four forms have changes at any byte, because most clients and networks cause such faults.
  const forms = fc.sample(fc.oneof({ weight: 3, arbitrary: formWithChangedBytes }, formWithChangedHeaders), {
    numRuns: MUTATIONS,
    seed,
  });
  let acceptedCount = 0;
  for (let start = 0; start < forms.length; start += BATCH_SIZE)
    try {
      acceptedCount += await checkForms(forms.slice(start, start + BATCH_SIZE));
    } catch (error) {
      throw new Error(`SEED=${seed}, one of the bodies from ${start} on.`, { cause: error });
    }
  // With fewer accepted forms, the test would compare too little.
  expect(acceptedCount).toBeGreaterThan(MUTATIONS / 100);
}, 900_000);

/** A random path of a site from valid pieces, of which many have a special meaning elsewhere. */
const path = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'index.html',
        'a',
        'é',
        '日本',
        'a;b',
        'x=y',
        "it's",
        '...',
        'CON',
        'c d',
        '\u{1f6a2}',
        'files[]',
      ),
      fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~!$&()+,;=@ ß'), minLength: 1, maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((segments) => segments.map((segment) => `f${segment}`).join('/'));
/** Random bytes, often with pieces of delimiters. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  fc.array(token, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
);

it('T8: a well-formed multipart body publishes each file unchanged, whatever the order of the parts', async () => {
  const form = fc.record({
    files: fc.uniqueArray(fc.tuple(path, bytes), {
      selector: ([name]) => name.toLowerCase(),
      minLength: 1,
      maxLength: 6,
    }),
    boundary: fc.constantFrom('b', 'b-end--', '----WebKitFormBoundary7MA4YWxkTrZu0gW', "a'()+_,-./:=?z"),
    places: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
    epilogue: fc.constantFrom('\r\n', ''),
  });
  await fc.assert(
    fc.asyncProperty(form, async ({ files, boundary, places, epilogue }) => {
      // The server refuses a path that is also a folder, and a delimiter inside a file ends the part.
      const names = files.map(([name]) => name);
      fc.pre(!names.some((name) => names.some((other) => other.startsWith(`${name}/`))));
      fc.pre(!files.some(([, body]) => `\r\n${body.toString('latin1')}`.includes(`\r\n--${boundary}`)));
      const parts: Part[] = files.map(([name, body]) => file(name, body));
      const fields = [checksums(...files.map(([, body]) => body)), field('labels', '["one"]'), field('via', 'cli')];
      fields.forEach((part, at) => parts.splice(places[at]! % (parts.length + 1), 0, part));
      const multipartForm = multipart(parts, { boundary, epilogue });
      const response = await send({ ...multipartForm, contentType: `multipart/form-data; boundary="${boundary}"` });
      expect([response.status, response.text]).toEqual([201, expect.stringContaining('"deployment"')]);
      expect(await publishedContent(response)).toEqual({
        files: Object.fromEntries(files.map(([name, body]) => [name.normalize('NFC'), body.toString('latin1')])),
        labels: ['one'],
        via: 'cli',
        password: false,
      });
    }),
    { numRuns: Math.ceil(MUTATIONS / 40) },
  );
});

const latin1 = (text: string | Buffer) => Buffer.from(text).toString('latin1');

/** Encodes a form from texts in which each character is one byte. */
function latin1Form(parts: readonly Part[]): Form {
  const { contentType, body } = multipart(parts, { boundary: BOUNDARY });
  return { contentType, body: Buffer.from(body.toString(), 'latin1') };
}
