import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVariables } from '../read-variables.ts';
import { ROOT } from './checkout.ts';

const UNIT = join(ROOT, 'deploy/systemd/berth.service');
/** The highest exposure, of 10, that `systemd-analyze security` may find. */
const MAX_EXPOSURE = 2;

const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasAnalyzer && process.env['CI']) throw new Error('CI needs systemd-analyze, of the Debian package systemd.');

describe('the systemd unit', () => {
  let folder: string;
  let unit: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-unit-'));
    unit = join(folder, 'berth.service');
    const text = await readFile(UNIT, 'utf8');
    // The program has to exist, and /opt/berth does not exist on this machine.
    await writeFile(unit, text.replace('/opt/berth/node_modules/.bin/node', process.execPath));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const analyze = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it.runIf(hasAnalyzer)('is valid for systemd-analyze verify, without warnings', async () => {
    expect(analyze('verify', unit)).toEqual({ status: 0, output: '' });
    const broken = join(folder, 'broken.service');
    await writeFile(broken, (await readFile(unit, 'utf8')).replace('ProtectHome=yes', 'ProtectHomes=yes'));
    expect(analyze('verify', broken).output).toContain('ProtectHomes');
  });

  it.runIf(hasAnalyzer)(`has an exposure of at most ${MAX_EXPOSURE}`, () => {
    const { output } = analyze('security', '--offline=true', '--no-pager', unit);
    const [, exposure] = /Overall exposure level for berth\.service: ([\d.]+)/.exec(output) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
  });

  it('runs the command of npm start, and sets only variables that exist', async () => {
    const text = await readFile(UNIT, 'utf8');
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    const [, command] = / (node --\S.*)$/.exec(scripts.start)!;
    expect(text).toContain(`/.bin/${command}\n`);
    const names = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, values]) =>
      values!.split(' ').map((value) => value.split('=')[0]!),
    );
    const ofTheRuntime = new Set(['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']);
    const variables = readVariables();
    for (const name of names.filter((each) => !ofTheRuntime.has(each))) expect(variables).toContain(name);
  });
});
