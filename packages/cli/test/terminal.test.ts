import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, MAIN, writeFiles } from './user.ts';

/** Removes the escape sequences that set colours. */
const withoutColours = (text: string) => text.replaceAll(/[^ -~\r\n]\[\d+m/g, '');

const CLEAR_LINE = '\r\u001b[2K';

/**
 * Runs a program on a terminal of 60 columns, types an answer to its question, and prints everything that was sent to the
 * screen.
 */
const ON_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
answer, command = sys.argv[1], sys.argv[2:]
child, screen = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp(command[0], command)
shown = b""
while True:
    try:
        piece = os.read(screen, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if answer and b": " in shown:
        os.write(screen, answer.encode() + b"\\n")
        answer = ""
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

describe.skipIf(spawnSync('python3', ['-c', 'import pty']).status !== 0)('on a terminal', () => {
  const server = useServer();

  async function screenAfter(words: string[], inputs?: { answer?: string; more?: object }) {
    return (await runOnTerminal(words, inputs)).stdout;
  }

  async function runOnTerminal(words: string[], { answer = '', more = {} }: { answer?: string; more?: object } = {}) {
    const { home, env } = createUser({ ...envOf(server()), TERM: 'xterm' });
    writeFiles(join(home, 'dist'), { 'index.html': '<h1>It floats.</h1>', 'photo.jpg': randomBytes(3_000_000) });
    const command = ['-c', ON_TERMINAL, answer, process.execPath, MAIN, ...words];
    const run = promisify(execFile)('python3', command, { cwd: home, env: { ...env, ...more } });
    return run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
  }

  it('berth shows a progress bar that fits, removes the bar, and prints the link last', async () => {
    const screen = await screenAfter(['./dist']);
    expect(screen).toMatch(/Sending .*[█░]{8,} +\d+ %/);
    const shownLines = screen.split(CLEAR_LINE).flatMap((part) => part.split('\r\n'));
    for (const line of shownLines) expect([...line].length).toBeLessThan(60);
    expect(screen.split(CLEAR_LINE).at(-1)).toMatch(/^[^█░]*http:\/\/[^\r\n]+\r\n$/);
  });

  it.each([{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }])('berth with %j prints plain lines', async (more) => {
    const screen = await screenAfter(['./dist'], { more });
    for (const sign of ['\u001b', '█', '░']) expect(screen).not.toContain(sign);
    expect(screen).toMatch(/^2 new; 3\.0 MB to send\.\r$/m);
  });

  it('berth breaks long messages between words', async () => {
    const screen = await screenAfter(['account', '--server', 'http://berth.invalid']);
    const plain = screen
      .replaceAll(/[^ -~\r\n]\[\d+m/g, '')
      .trimEnd()
      .split('\r\n');
    expect(plain.join(' ')).toMatch(/^Error: berth\.invalid cannot be reached: .+ To find out more: berth check$/);
    expect(plain.length).toBeGreaterThan(3);
    for (const line of plain) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('berth preview shows a QR code after the link', async () => {
    const screen = await screenAfter(['preview', './dist']);
    const [, rows] = /http:\/\/\S+\r\n\r\n((?: {2}\S.+\r\n)+)\r\nOnly this machine can open/.exec(screen)!;
    const plainRows = rows!.trimEnd().split('\r\n').map(withoutColours);
    expect(plainRows).toHaveLength(17);
    expect(new Set(plainRows.map((row) => row.length))).toEqual(new Set([2 + 2 * 17 - 1]));
  });

  it('berth without an account prints the whole claim link', async () => {
    const screen = await screenAfter(['./dist'], { more: { BERTH_KEY: '' } });
    expect(withoutColours(screen)).toMatch(/^ {2}http:\/\/localhost:\d+\/claim\/[0-9a-f]{32}\r$/m);
  });

  it.each([
    ['deployments', /^DEPLOYMENT .*CREATED +DOMAINS/m, /Not shown: url, files/],
    ['domains', /^DOMAIN +STATUS +URL\r$/m, /Not shown: linked, deployment\./],
  ])('berth %s fits its table to the screen, and names the omitted columns', async (command, heading, omitted) => {
    const { deployment } = await server().publish({ 'index.html': 'hi' }, { fields: { labels: '["production"]' } });
    await server().api('/domains/fitted.localhost', { method: 'PUT', json: { deployment } });
    const screen = await screenAfter([command, '--limit', '1'], { more: { NO_COLOR: '1' } });
    expect(screen).toMatch(heading);
    expect(screen).toMatch(omitted);
    const table = screen.split('\r\n').filter((line) => !line.startsWith('Not shown') && !line.startsWith('There are'));
    for (const line of table) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('berth asks for a password, and does not show what is typed', async () => {
    const screen = await screenAfter(['./dist', '--password', '-'], { answer: 'open sesame' });
    expect(screen).toContain('Password: ');
    expect(screen).not.toContain('sesame');
    const url = /(http:\/\/\S+)\r\n$/.exec(screen)![1]!;
    const { password } = (await server().api(`/deployments/${new URL(url).hostname}`)).json<Deployment & object>();
    expect(password).toBe(true);
  });

  it('berth exits with 130 if the user presses Ctrl-C at a question', async () => {
    const { code, stdout } = await runOnTerminal(['./dist', '--password', '-'], { answer: '\u0003' });
    expect(code).toBe(130);
    expect(stdout).toContain('Interrupted.');
  });
});
