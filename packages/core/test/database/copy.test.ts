import type { EntityManager } from '@mikro-orm/postgresql';
import { useTestCore } from '@berth/testing/core';
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
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

async function copyNumbers(em: EntityManager, chunks: Iterable<Buffer>, onSent = async () => {}): Promise<void> {
  await db(em).executeQuery(CompiledQuery.raw('copy number from stdin', [new CopyData(chunks, onSent)]));
}

describe('a COPY in a transaction', () => {
  it('inserts its data, and calls back while the database reads it', async () => {
    let isSent = false;
    const numbers = await numbersAfter(async (em) => {
      await copyNumbers(em, [Buffer.from('2\n1\n')], async () => void (isSent = true));
      expect(isSent).toBe(true);
    });
    expect(numbers).toEqual([1, 2]);
  });

  it('takes each chunk of its data in a later turn of the event loop, once the connection has accepted the chunk before', async () => {
    let turn = 0;
    const nextTurns = setInterval(() => (turn += 1), 0);
    onTestFinished(() => clearInterval(nextTurns));
    const turns = new Set<number>();
    function* chunks() {
      for (const line of ['1\n', '2\n', '3\n']) {
        turns.add(turn);
        yield Buffer.from(line.padStart(4 * 1024 ** 2, '0'));
      }
    }
    expect(await numbersAfter((em) => copyNumbers(em, chunks()))).toEqual([1, 2, 3]);
    expect(turns.size).toBe(3);
  });

  it.each<[string, string, () => Promise<void>, object]>([
    ['the database refuses its data', '1\n1\n', async () => {}, { code: '23505' }],
    ['the database refuses the start of much data', '1\n'.repeat(2_000_000), async () => {}, { code: '23505' }],
    ['its callback fails', '1\n', () => Promise.reject(new Error('too large')), { message: 'too large' }],
  ])('fails if %s, and the transaction can continue from its savepoint', async (_, text, onSent, error) => {
    const numbers = await numbersAfter(async (em) => {
      await expect(copyNumbers(em, [Buffer.from(text)], onSent)).rejects.toMatchObject(error);
      await sql`rollback to savepoint before_copy`.execute(db(em));
      await copyNumbers(em, [Buffer.from('3\n')]);
    });
    expect(numbers).toEqual([3]);
  });
});
