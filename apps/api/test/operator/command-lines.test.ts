import { describe, expect, it } from 'vitest';
import { isValid, readCommands, runBerth, spawnBerth } from './run-berth.ts';

/** Settings without a usable database, because an invalid command line must not use one. */
const NO_DATABASE = { DATABASE_URL: 'postgres://localhost:1/nowhere', DATA_DIR: '/nowhere' };

describe('api §8: an invalid command line', () => {
  it.each([
    ['', /^Usage: npm run berth -- <command>/],
    ['launch', /^Error: unknown command 'launch'\./],
    ['account', /^Error: unknown command 'account'\. Did you mean accounts\?/],
    ['accounts', /^Usage: npm run berth -- accounts [^]* create .* list .* show .* suspend .* activate .* terminate /s],
    ['accounts invent', /^Error: unknown command 'invent'\./],
    ['help launch', /^Error: There is no command "launch"\./],
    ['--json accounts list', /^Error: unknown option '--json'\./],
    ['accounts create', /^Error: missing required argument 'email'\.\n {2}npm run berth -- accounts create .*<email>/],
    ['accounts create ada', /"ada" is not an e-mail address; use "name@host" of at most 254 characters\./],
    ['accounts create ada@x --period week', /'week' is invalid\. Allowed choices are month, year\./],
    ['accounts create ada@x grace@x', /^Error: too many arguments for 'create'\. Expected 1 argument but got 2/],
    ['accounts terminate ada@x', /^Error: Pass --yes to confirm that all sites of ada@x become unavailable\./],
    ['plans set ada@x', /^Error: missing required argument 'plan'\./],
    ['plans set ada@x pro --soon', /^Error: unknown option '--soon'\./],
    ['accounts create ada@x --plan', /^Error: option '--plan <plan>' argument missing\./],
    ['plans set ada@x pro --now=yes', /^Error: unknown option '--now=yes'\./],
  ])('makes the command exit with 2 and a hint: %s', async (line, message) => {
    const { code, out, err } = await runBerth(NO_DATABASE, ...line.split(' ').filter(Boolean));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err).toMatch(/npm run berth -- /);
    expect(err).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('T38: is repeated without control characters', async () => {
    const { err } = await runBerth(NO_DATABASE, 'launch\u001b[2J\n');
    expect(err).toMatch(/^Error: unknown command 'launch\\u001b\[2J\\u000a'\.\n/);
  });

  it('makes the process exit with 2', async () => {
    const err = expect.stringMatching(/unknown command/);
    expect(await spawnBerth(NO_DATABASE, 'launch')).toEqual({ code: 2, out: '', err });
  });
});

describe('api §8: help', () => {
  it.each(['help', '--help', '-h'])('of berth %s lists every group of commands', async (word) => {
    const { code, out, err } = await runBerth(NO_DATABASE, word);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of readCommands().keys()) expect(out).toMatch(new RegExp(`^ {2}${name.split(' ')[0]}\\b`, 'm'));
  });

  it.each([...readCommands()])(
    'exists for the command "%s", with options and valid examples',
    async (name, command) => {
      const { code, out } = await runBerth(NO_DATABASE, 'help', ...name.split(' '));
      expect(code).toBe(0);
      expect(await runBerth(NO_DATABASE, ...name.split(' '), '--help')).toMatchObject({ code: 0, out });
      for (const { long } of command.options) expect(out).toMatch(new RegExp(`^ {2}${long}\\b`, 'm'));
      const [usage, ...examples] = [...out.matchAll(/npm run berth -- (.*)$/gm)].map(([, line]) => line!);
      expect(usage).toMatch(new RegExp(`^${name}\\b`));
      for (const example of examples) expect(await isValid(example), example).toBe(true);
    },
  );
});

describe('api §8: a service that is unreachable or has an invalid configuration', () => {
  it('makes the command exit with 1 and one line that names the setting', async () => {
    const { code, out, err } = await runBerth({ ...NO_DATABASE, DATA_DIR: '/tmp' }, 'accounts', 'list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^the database of DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/);
  });

  it('makes the command exit with 1 and a list of every configuration error', async () => {
    const { code, err } = await runBerth({ ...NO_DATABASE, PORT: 'x', DEFAULT_PLAN: 'y' }, 'plans', 'list');
    expect(code).toBe(1);
    expect(err).toMatch(/^The configuration is invalid:\nPORT: .*\nDEFAULT_PLAN: .*\n$/);
  });
});
