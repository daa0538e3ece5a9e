import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/operator/arguments.ts';
import { COMMANDS } from '../../src/operator/commands.ts';
import { columns, table, formatTime } from '../../src/operator/table.ts';
import { runBerth, spawnBerth, wordsOf } from './run-berth.ts';

/** An invalid command line must not use a database, so none exists here. */
const NOWHERE = { DATABASE_URL: 'postgres://localhost:1/nowhere', DATA_DIR: '/nowhere' };

describe('api §8: an invalid command line', () => {
  it.each([
    ['', /^The command is missing\./],
    ['launch', /^There is no command "launch"\./],
    [
      'accounts',
      /^accounts: the subcommand is missing\. Use one of create, list, show, suspend, activate, terminate\./,
    ],
    ['accounts invent', /^accounts: unknown subcommand "invent"\. Use one of create/],
    ['help launch', /^There is no command "launch"\./],
    ['--json accounts list', /accounts/],
    ['accounts create', /^<email> is missing\.\n {2}npm run berth -- accounts create <email>/],
    ['accounts create ada', /^"ada" is not an e-mail address; use "name@host" of at most 254 characters\./],
    ['accounts create ada@x --period week', /^--period must be month or year, not "week"\./],
    ['accounts create ada@x grace@x', /^"grace@x" is an unexpected argument\./],
    ['accounts terminate ada@x', /^Pass --yes to confirm that all sites of ada@x become unavailable\./],
    ['plans set ada@x', /^<plan> is missing\./],
    ['plans set', /^<account> and <plan> is missing\./],
    ['plans set ada@x pro --soon', /^Unknown option '--soon'\.\n/],
    ['accounts create ada@x --plan', /^Option '--plan <value>' argument missing\.\n/],
    ['plans set ada@x pro --now=yes', /^Option '--now' does not take an argument\.\n/],
  ])('makes the command exit with 2 and a hint: %s', async (line, message) => {
    const { code, out, err } = await runBerth(NOWHERE, ...line.split(' ').filter(Boolean));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err).toMatch(/npm run berth -- /);
    expect(err).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('makes the process exit with 2', async () => {
    expect(await spawnBerth(NOWHERE, 'launch')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/no command/),
    });
  });
});

describe('api §8: help', () => {
  it.each([['help'], ['--help'], ['-h']])('of berth %s lists every command', async (word) => {
    const { code, out, err } = await runBerth(NOWHERE, word);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const { name, summary } of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${name}\\b.* {2}${summary}$`, 'm'));
  });

  it.each(COMMANDS.map(({ name }) => name))(
    'exists for the command "%s", with its options and valid examples',
    async (name) => {
      const command = COMMANDS.find((each) => each.name === name)!;
      const { code, out } = await runBerth(NOWHERE, 'help', ...name.split(' '));
      expect(code).toBe(0);
      expect(await runBerth(NOWHERE, ...name.split(' '), '--help')).toMatchObject({ code: 0, out });
      for (const option of Object.keys(command.options ?? {}))
        expect(out).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
      expect(command.examples).not.toEqual([]);
      for (const example of command.examples) {
        expect(out).toContain(`npm run berth -- ${example}\n`);
        expect(readArguments(COMMANDS, wordsOf(example))).toMatchObject({ kind: 'run', command: { name } });
      }
    },
  );
});

it('the README shows only valid command lines', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8');
  const lines = [...readme.matchAll(/^npm run berth -- (.*)$/gm)].map(([, line]) => line!);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(readArguments(COMMANDS, wordsOf(line)), line).toBeDefined();
});

describe('api §8: an unreachable service', () => {
  it('makes the command exit with 1 and one line that names the setting', async () => {
    const { code, out, err } = await runBerth({ ...NOWHERE, DATA_DIR: '/tmp' }, 'accounts', 'list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^the database of DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/);
  });

  it('makes the command exit with 1 and a list of every configuration error', async () => {
    const { code, err } = await runBerth({ ...NOWHERE, PORT: 'x', DEFAULT_PLAN: 'y' }, 'plans', 'list');
    expect(code).toBe(1);
    expect(err).toMatch(/^The configuration is invalid:\nPORT: .*\nDEFAULT_PLAN: .*\n$/);
  });
});

describe('a table', () => {
  it('aligns its columns, without trailing spaces', () => {
    expect(
      table(
        ['a', 'bee'],
        [
          ['long', 'x'],
          ['ü', 'yy'],
        ],
        'none',
      ),
    ).toBe('A     BEE\nlong  x\nü     yy');
    expect(table(['a'], [], 'none')).toBe('none');
  });

  it('T38: contains no character that moves the cursor', () => {
    expect(columns([['a\u001b[2Jb\nc\u202ed', 'e']])).toEqual(['a[2Jbcd  e']);
  });

  it('shows times to the minute', () => {
    expect(formatTime(1_790_000_000)).toBe('2026-09-21 14:13');
    expect(formatTime(null)).toBe('-');
  });
});
