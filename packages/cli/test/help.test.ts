import { describe, expect, it } from 'vitest';
import { createUser } from './user.ts';

const help = (...words: string[]) => createUser().runInProcess(...words);

describe('berth help', () => {
  it.each([
    ['domains set', '--label'],
    ['tokens create', '--api'],
    ['deployments list', '--limit'],
    ['watch', '--keep'],
  ])('shows the options and an example of "%s", as --help does', async (command, option) => {
    const words = command.split(' ');
    const { code, out, err } = await help('help', ...words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: berth ${command} `));
    expect(out).toMatch(new RegExp(`^ +(-\\w, )?${option} `, 'm'));
    expect(out).toMatch(new RegExp(`^Examples:\\n  berth ${command}`, 'm'));
    expect(await help(...words, '--help')).toEqual({ code, out, err });
  });

  it('fits into 80 columns for every command', async () => {
    const commandsIn = (text: string) => {
      const headings = /^(?:Commands|Publish|Sites and their versions|Account|This program):\n((?: {2}.*\n)+)/gm;
      const sections = [...text.matchAll(headings)].map(([, section]) => section!);
      return [...sections.join('').matchAll(/^ {2}([a-z]+) /gm)].map(([, command]) => command!);
    };
    const helpTexts = [(await help('--help')).out];
    for (const command of commandsIn(helpTexts[0]!).filter((name) => name !== 'help')) {
      const { out } = await help(command, '--help');
      const subcommands = commandsIn(out).map((subcommand) => help(command, subcommand, '--help'));
      helpTexts.push(out, ...(await Promise.all(subcommands)).map((outcome) => outcome.out));
    }
    expect(helpTexts.length).toBeGreaterThan(35);
    expect(helpTexts.flatMap((text) => text.split('\n')).filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows the help of the program without a command', async () => {
    expect((await help('help')).out).toBe((await help('--help')).out);
    expect((await help('help', 'help')).out).toContain('Usage: berth [options] [folder]');
  });

  it.each([
    ['domains sett', /"berth domains sett"\. Did you mean berth domains set\?/],
    ['domain', /"berth domain"\. Did you mean berth domains\?/],
    ['nonsense', /"berth nonsense"\. The commands are publish, watch,/],
    ['watch ./dist', /"berth watch \.\/dist"\. For help: berth watch --help\.$/m],
  ])('refuses "%s", which is not a command', async (words, error) => {
    expect(await help('help', ...words.split(' '))).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(error),
    });
  });
});
