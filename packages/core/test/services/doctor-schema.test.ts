import { useTestCore } from '@berth/testing/core';
import { expect, it } from 'vitest';
import { doctor, type DoctorEvent } from '../../src/services/doctor/doctor.ts';

const test = await useTestCore();

async function examineSchema(): Promise<DoctorEvent[]> {
  const events = await Array.fromAsync(doctor(test.core, { fix: false, graceMs: 0, apiHost: 'api.example.com' }));
  return events.filter(({ check, kind }) => check === 'schema' && kind !== 'check');
}

it('the doctor advises statements for tables that differ from the schema of this version', async () => {
  expect(await examineSchema()).toEqual([]);
  await test.database.query('drop index deployment_expires_index');
  expect(await examineSchema()).toMatchObject([
    { kind: 'finding', severity: 'advice', message: expect.stringMatching(/create index "deployment_expires_index"/) },
  ]);
  await test.database.query('create index deployment_expires_index on deployment (expires)');
});

it('the doctor only notes that a newer, compatible version has migrated the database', async () => {
  await test.database.query('alter table account add column motto text');
  await test.database.query(`insert into migration (name, compatible_since) values ('0901-motto', 4)`);
  expect(await examineSchema()).toMatchObject([
    { kind: 'note', message: expect.stringContaining('schema 901 of a newer Berth') },
  ]);
});
