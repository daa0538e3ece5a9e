import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANINGS } from '../src/exit-codes.ts';
import { createUser, envOf, MAIN, writeFiles } from './user.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

interface Typed {
  command: string;
  output: string;
}

/** Reads the commands of a document, which follow a `$`, and the documented output of each command. */
function commandsOf(document: string): Typed[] {
  const blocks = [...read(document).matchAll(/^```console\n(.*?)^```$/gms)].map(([, block]) => block!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command, ...lines] = text.split('\n');
        return { command: command!, output: lines.join('\n') };
      }),
  );
}

/** Replaces the parts of an output that differ in every run. */
function normal(text: string, home: string): string {
  return text
    .replaceAll(/[a-z]+-[a-z]+-[a-z0-9]{7}\b/g, 'calm-otter-4k9x2qd')
    .replaceAll(/localhost:\d+/g, 'localhost:4000')
    .replaceAll(/in [\d.]+ m?s\./g, 'in 0.3 s.')
    .replaceAll(home, '/home/ada');
}

describe.each(['README.md', 'packages/cli/README.md'])('the commands of %s', (document) => {
  const server = useServer();

  it('print the documented output, one after the other', async () => {
    const { home, env } = createUser(envOf(server()));
    writeFiles(join(home, 'dist'), { 'index.html': '<h1>It floats.</h1>', 'site.css': 'h1{}' });
    writeFileSync(join(home, 'dist/photo.jpg'), Buffer.alloc(25_000));
    writeFileSync(join(home, 'key.txt'), `${OWNER_KEY}\n`);
    cpSync(join(ROOT, 'examples/python'), join(home, 'examples/python'), { recursive: true });
    const commands = commandsOf(document);
    expect(commands.length).toBeGreaterThan(2);
    for (const { command, output } of commands) {
      const script = `berth() { "${process.execPath}" "${MAIN}" "$@"; }\n${command.replace('localhost:4000', `localhost:${server().port}`)} 2>&1`;
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: home, env });
      expect(`$ ${command}\n${normal(stdout, home)}`).toBe(`$ ${command}\n${output}`);
    }
  });
});

it('the README lists every exit code with its meaning in the program', () => {
  const rows = [...read('packages/cli/README.md').matchAll(/^\| (\d+) \| (.+) \|$/gm)];
  expect(rows.map(([, code, meaning]) => [Number(code), meaning])).toEqual(EXIT_MEANINGS.map((row) => [...row]));
});

it('the README lists every option of publishing, and every command', async () => {
  const { runInProcess } = createUser();
  const readme = read('packages/cli/README.md');
  const help = (await runInProcess('publish', '--help')).out.split('Global Options')[0]!;
  for (const [, option] of help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm))
    if (option !== '--help') expect(readme).toContain(option);
  const commands = (await runInProcess('--help')).out.split('Publish:')[1]!.split('Examples:')[0]!;
  for (const [, command] of commands.matchAll(/^ {2}([a-z]+)/gm))
    if (command !== 'publish') expect(readme).toContain(`berth ${command}`);
});
