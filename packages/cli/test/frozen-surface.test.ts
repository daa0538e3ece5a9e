import { expect, it } from 'vitest';
import recorded from '../../../fixtures/frozen/cli.json' with { type: 'json' };
import { completionPointsOf } from '../src/completion/completion-points.ts';
import { EXIT } from '../src/exit-codes.ts';
import { createProgram } from '../src/program.ts';
import { PARTS } from '../src/session.ts';

/** The surface that scripts depend on. Every recorded entry must stay. `json.test.ts` covers the output of `--json`. */
const SURFACE: Record<keyof typeof recorded, () => string[]> = {
  exitCodes: () => Object.entries(EXIT).map(([name, code]) => `${name} ${code}`),
  commands: readCommands,
};

it.each(Object.keys(SURFACE) as (keyof typeof recorded)[])('the command line has all recorded %s', (family) => {
  const current = new Set(SURFACE[family]());
  expect(recorded[family].filter((name) => !current.has(name))).toEqual([]);
});

function readCommands(): string[] {
  const terminal = { out() {}, err() {}, paint: { out: {}, err: {} } };
  const runtime = { env: {}, terminal, parts: PARTS, signal: new AbortController().signal };
  const program = createProgram({ runtime, errorContext: {} } as unknown as Parameters<typeof createProgram>[0]);
  return completionPointsOf(program).flatMap(({ path, options }) => {
    const command = ['berth', ...path].join(' ');
    return [command, ...options.map(({ word }) => `${command} ${word}`)];
  });
}
