import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUser, envOf, outcomeOf, writeFiles } from './user.ts';

const server = useServer();

/** Starts a watch whose output is read line by line. */
function startWatching(...words: string[]) {
  const person = createUser(envOf(server()));
  const dist = writeFiles(join(person.home, 'dist'), { 'index.html': 'build 1' });
  const child = person.startProgram('watch', './dist', ...words);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const commandOutcome = outcomeOf(child);
  return { dist, child, ended: commandOutcome, nextLine: async () => (await lines.next()).value as string };
}

it('berth watch prints the link of each deployment that is live, and exits with 130 after Ctrl-C', async () => {
  const { dist, child, ended, nextLine } = startWatching('--domain', 'watched.localhost');
  for (const build of ['build 1', 'build 2']) {
    writeFiles(dist, { 'index.html': build });
    const url = await nextLine();
    expect(url).toBe(`http://watched.localhost:${server().port}`);
    expect((await server().visit(url)).text).toBe(build);
  }
  child.kill('SIGINT');
  const { code, err } = await ended;
  expect(code).toBe(130);
  expect(err).toMatch(/^Watching \/.+\/dist, each deploy goes to watched\.localhost\. Press Ctrl-C to stop\.$/m);
  for (const escape of ['\u001b', '\r']) expect(err).not.toContain(escape);
});

it('berth watch publishes one HTML file as the front page each time it changes', async () => {
  const person = createUser(envOf(server()));
  writeFiles(person.home, { 'page.html': 'one' });
  const child = person.startProgram('watch', 'page.html');
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const text of ['one', 'two']) {
    writeFiles(person.home, { 'page.html': text });
    expect((await server().visit((await lines.next()).value as string)).text).toBe(text);
  }
});

it('berth watch --json prints one object per line', async () => {
  const { child, ended, nextLine } = startWatching('--json');
  expect(JSON.parse(await nextLine())).toEqual({ type: 'watching', folder: expect.any(String), domain: null });
  let row;
  do row = JSON.parse(await nextLine());
  while (row.type !== 'published');
  expect((await server().visit(row.url)).text).toBe('build 1');
  expect(row.deployment).toMatchObject({ via: 'cli', expires: null });
  child.kill('SIGINT');
  const { code, err } = await ended;
  expect(code).toBe(130);
  expect(JSON.parse(err)).toMatchObject({ error: { kind: 'aborted', exit: 130 } });
});

async function suspendedKey(): Promise<string> {
  const { account, key } = await server().account();
  await server().database.query(`update account set state = 'suspended' where id = $1`, [account]);
  return key;
}

describe('berth watch', () => {
  const notAllowed = [
    [
      'a deploy token and a domain',
      ['--domain', 'blog'],
      async () => (await server().account()).deployToken,
      /API key/,
    ],
    ['a key that is not accepted', [], async () => `ship-${'f'.repeat(32)}`, /The key in BERTH_KEY is not valid/],
    ['the key of a suspended account', [], suspendedKey, /suspended/i],
  ] as const;

  it.each(notAllowed)('ends with exit code 3 for %s', async (_, words, keyOf, error) => {
    const person = createUser(envOf(server(), await keyOf()));
    writeFiles(person.home, { 'dist/index.html': 'build 1' });
    const { code, out, err } = await person.runProgram('watch', './dist', ...words);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(error);
    expect(err.match(/^Error: /gm)).toHaveLength(1);
    expect(err).not.toContain('Trying again');
  });

  it('continues if its credential allows it to publish, but not to delete old deployments', async () => {
    const { deployToken } = await server().account();
    const person = createUser(envOf(server(), deployToken));
    const dist = writeFiles(join(person.home, 'dist'), { 'index.html': 'build 1' });
    const child = person.startProgram('watch', './dist');
    const commandOutcome = outcomeOf(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const build of ['build 1', 'build 2']) {
      writeFiles(dist, { 'index.html': build });
      const url = (await lines.next()).value as string;
      expect((await server().visit(url)).text).toBe(build);
    }
    child.kill('SIGINT');
    const { code, err } = await commandOutcome;
    expect(code).toBe(130);
    expect(err).toContain(' Old deployments were not deleted.\n');
  });
});
