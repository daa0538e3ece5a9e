import type { EntityManager } from '@mikro-orm/postgresql';
import { useTestCore } from '@berth/testing/core';
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { CopyData } from '../../src/database/copy.ts';
import { db } from '../../src/database/tables.ts';

const test = await useTestCore();

/** Runs `work` in a transaction with a table of unique numbers, and returns the numbers that it leaves. */
const numbersAfter = (work: (em: EntityManager) => Promise<void>) =>
  test.core.database.transaction(async (em) => {
    await sql`create temporary table number (n int primary key) on commit drop`.execute(db(em));
    await sql`savepoint before_copy`.execute(db(em));
    await work(em);
    const { rows } = await sql<{ n: number }>`select n from number order by n`.execute(db(em));
    return rows.map(({ n }) => n);
  });

const copyNumbers = (em: EntityManager, text: string, onSent = async () => {}) =>
  db(em).executeQuery(CompiledQuery.raw('copy number from stdin', [new CopyData(Buffer.from(text), onSent)]));

describe('a COPY in a transaction', () => {
  it('inserts its data, and calls back while the database reads it', async () => {
    let isSent = false;
    const numbers = await numbersAfter(async (em) => {
      await copyNumbers(em, '2\n1\n', async () => void (isSent = true));
      expect(isSent).toBe(true);
    });
    expect(numbers).toEqual([1, 2]);
  });

  it.each<[string, string, () => Promise<void>, object]>([
    ['the database refuses its data', '1\n1\n', async () => {}, { code: '23505' }],
    ['the database refuses the start of much data', '1\n'.repeat(2_000_000), async () => {}, { code: '23505' }],
    ['its callback fails', '1\n', () => Promise.reject(new Error('too large')), { message: 'too large' }],
  ])('fails if %s, and the transaction can continue from its savepoint', async (_, text, onSent, error) => {
    const numbers = await numbersAfter(async (em) => {
      await expect(copyNumbers(em, text, onSent)).rejects.toMatchObject(error);
      await sql`rollback to savepoint before_copy`.execute(db(em));
      await copyNumbers(em, '3\n');
    });
    expect(numbers).toEqual([3]);
  });
});
