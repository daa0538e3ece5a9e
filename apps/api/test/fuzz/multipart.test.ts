import { hash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type CreatedDeployment, isJunk, normalizePath, normalizeVia } from '@berth/contract';
import { LiveSiteCache, type LiveSites } from '@berth/core/sites';
import type { Site } from '@berth/serving';
import { expectErrorAnswer, footprintOf } from '@berth/testing/expectations';
import { checksums, field, file, type Form, multipart, type Part } from '@berth/testing/multipart';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readForm } from './second-parser.ts';

/** How many bodies are sent. */
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 4_000);
const BATCH = 250;
const SOCKETS = 8;
/** No small body takes this long to answer, even on a busy machine. */
const HANGS_MS = 60_000;

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
const GOOD: readonly Part[] = [...FILES, ...FIELDS];

/** What an accepted form published: the bytes by path as visitors get them, and the fields. */
async function published(answer: Answer): Promise<object> {
  const { deployment, labels, via, password } = answer.json<CreatedDeployment>();
  const site = (await sites.find({ deployment })) as Site;
  const files = await Promise.all(
    [...site.manifest].map(async ([path, place]) => [
      path,
      (await server().berth.core.packs.read(place)).toString('latin1'),
    ]),
  );
  return { files: Object.fromEntries(files), labels, via, password };
}

/** The same, according to the second parser. */
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

/** Sends a form over one of the open connections. Rejects when there is no answer. */
function send({ contentType, body }: Form): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({
      host: '127.0.0.1',
      port: server().port,
      path: '/deployments',
      method: 'POST',
      agent,
      signal: AbortSignal.timeout(HANGS_MS),
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

/**
 * Checks that a form is answered, either with an error or with its content. @returns The deployments that were created.
 */
async function judge(form: Form): Promise<string[]> {
  const answer = await send(form).catch((error: unknown) => expect.unreachable(`no answer: ${String(error)}`));
  if (answer.status !== 201) {
    expectErrorAnswer(answer, answer.status === 413 ? 'payload_too_large' : 'validation_failed');
    return [];
  }
  expect(await published(answer)).toEqual(extracted(form));
  return [answer.json<CreatedDeployment>().deployment];
}

/** The tables of a deployment; an anonymous deploy must not change any other table. */
const OF_DEPLOYMENTS: ReadonlySet<string> = new Set([
  'deployment',
  'manifest',
  'deployment_pack',
  'pack',
  'content',
  'issued_id',
]);

/** Everything except the known deployments and their rows; with no known deployments, everything. */
async function rest(expectedIds: readonly string[]): Promise<object> {
  const { rows, files } = await footprintOf(server());
  const ids = await server().database.query<{ id: string }>(`select id from deployment order by id`);
  const others = Object.entries(rows).filter(([table]) => expectedIds.length === 0 || !OF_DEPLOYMENTS.has(table));
  return {
    deployments: ids.map(({ id }) => id).filter((id) => !expectedIds.includes(id)),
    rows: Object.fromEntries(others),
    ...(expectedIds.length === 0 ? { files } : {}),
  };
}

/** Sends forms in parallel and checks that refused ones changed nothing. @returns How many were accepted. */
async function judgeAll(forms: readonly Form[]): Promise<number> {
  const [everything, allRows] = [await rest([]), await rest(['none'])];
  const queue = forms.values();
  const made: string[] = [];
  await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      for (const form of queue)
        try {
          made.push(...(await judge(form)));
        } catch (error) {
          throw new Error(`Of this body: ${JSON.stringify(form.body.toString('latin1'))}`, { cause: error });
        }
    }),
  );
  expect(await rest(made)).toEqual(made.length === 0 ? everything : allRows);
  expect(server().berth.core.activePacks.size).toBe(0);
  return made.length;
}

/** Bytes with a special meaning in a form. */
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

/** A disposition as different clients write it. */
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

/** A valid form in which any bytes were changed. */
const changedBytes = fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations): Form => {
  const good = goodForm();
  const text = mutations.reduce(mutate, good.body.toString('latin1'));
  return { ...good, body: Buffer.from(text, 'latin1') };
});

/**
 * A valid form in which the headers of a part were changed, with the checksums of a client that reads it like the
 * second parser.
 */
const changedHeaders = fc
  .tuple(fc.nat(GOOD.length - 1), disposition, fc.array(mutation, { maxLength: 1 }))
  .map(([which, text, mutations]): Form => {
    const headers = [mutations.reduce(mutate, latin1(text))];
    const parts = GOOD.map((part, i) => ({
      body: latin1(part.body),
      headers: i === which ? headers : part.headers.map(latin1),
    }));
    const files = readForm(latin1Form(parts).body, BOUNDARY)?.filter(({ filename }) => filename !== undefined);
    const sums = (files ?? []).map(({ bytes }) => hash('md5', bytes));
    return latin1Form([...parts, field('checksums', JSON.stringify(sums))]);
  });

function goodForm(): Form {
  return multipart([...GOOD, checksums(...FILES.map(({ body }) => body))], { boundary: BOUNDARY });
}

describe(`T8: of ${MUTATIONS} mutated bodies, over ${SOCKETS} connections,`, () => {
  it('none causes a fault or hangs, and only what a second parser extracts is ever published', async () => {
    expect(await judgeAll([goodForm()])).toBe(1);
    const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
    // Three of four bodies have any byte changed, since most clients and networks cause such faults.
    const forms = fc.sample(fc.oneof({ weight: 3, arbitrary: changedBytes }, changedHeaders), {
      numRuns: MUTATIONS,
      seed,
    });
    let accepted = 0;
    for (let at = 0; at < forms.length; at += BATCH)
      try {
        accepted += await judgeAll(forms.slice(at, at + BATCH));
      } catch (error) {
        throw new Error(`SEED=${seed}, one of the bodies from ${at} on.`, { cause: error });
      }
    // Otherwise the test proves little.
    expect(accepted).toBeGreaterThan(MUTATIONS / 100);
  }, 900_000);
});

/** A path of a site, made of pieces that are valid but have a special meaning somewhere. */
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
/** Bytes, often those of which delimiters are made. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  fc.array(token, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
);

describe('T8: of well-formed bodies of any client', () => {
  it('each file is published as it was sent, whatever the order of the parts', async () => {
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
        // A path that is the folder of another file is refused, and so are bytes that end the part.
        const names = files.map(([name]) => name);
        fc.pre(!names.some((name) => names.some((other) => other.startsWith(`${name}/`))));
        fc.pre(!files.some(([, body]) => `\r\n${body.toString('latin1')}`.includes(`\r\n--${boundary}`)));
        const parts: Part[] = files.map(([name, body]) => file(name, body));
        const fields = [checksums(...files.map(([, body]) => body)), field('labels', '["one"]'), field('via', 'cli')];
        fields.forEach((one, at) => parts.splice(places[at]! % (parts.length + 1), 0, one));
        const shape = multipart(parts, { boundary, epilogue });
        const answer = await send({ ...shape, contentType: `multipart/form-data; boundary="${boundary}"` });
        expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"deployment"')]);
        expect(await published(answer)).toEqual({
          files: Object.fromEntries(files.map(([name, body]) => [name.normalize('NFC'), body.toString('latin1')])),
          labels: ['one'],
          via: 'cli',
          password: false,
        });
      }),
      { numRuns: Math.ceil(MUTATIONS / 40) },
    );
  });
});

const latin1 = (text: string | Buffer) => Buffer.from(text).toString('latin1');

/** A form from text in which each character is one byte. */
function latin1Form(parts: readonly Part[]): Form {
  const { contentType, body } = multipart(parts, { boundary: BOUNDARY });
  return { contentType, body: Buffer.from(body.toString(), 'latin1') };
}
