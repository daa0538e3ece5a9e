import { hash, randomBytes } from 'node:crypto';
import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type Compressor, createCompressor } from '../../src/compressor/compressor.ts';
import { compressContent } from '../../src/compressor/forms.ts';

const compressors: Compressor[] = [];
const createForTest = (...options: Parameters<typeof createCompressor>) => {
  const compressor = createCompressor(...options);
  compressors.push(compressor);
  return compressor;
};
afterEach(() => {
  for (const compressor of compressors.splice(0)) compressor.close();
});

const contentOf = (text: string) => ({ bytes: Buffer.from(text), sha256: hash('sha256', text) });
const SMALL = contentOf('tide '.repeat(300));
/** A content that Brotli needs at least a second to compress. */
const SLOW_BYTES = contentOf(randomBytes(500_000).toString('hex'));
const { signal } = new AbortController();

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the compressor (S48)', () => {
  it('starts one process of low priority on demand and reuses it', async () => {
    const compressor = createForTest();
    expect(compressor.pid).toBeNull();
    const outcome = await compressor.compress(SMALL, signal);
    expect(outcome).toEqual({ kind: 'forms', forms: expect.anything() });
    const forms = Object.entries((outcome as { forms: object }).forms).map(([coding, form]) => [
      coding,
      Buffer.from(form as Uint8Array),
    ]);
    expect(Object.fromEntries(forms)).toEqual(compressContent(SMALL.bytes));
    const { pid } = compressor;
    expect(pid).not.toBe(process.pid);
    expect(getPriority(pid!)).toBe(19);
    await compressor.compress(contentOf('another '.repeat(300)), signal);
    expect(compressor.pid).toBe(pid);
  });

  it('reports bytes that do not match their hash', async () => {
    expect(await createForTest().compress({ ...SMALL, bytes: Buffer.from('other') }, signal)).toEqual({
      kind: 'damaged',
    });
  });

  it('reports when the process has died, and starts a new process for the next content', async () => {
    const compressor = createForTest();
    await compressor.compress(SMALL, signal);
    const pid = compressor.pid!;
    // Stop the process first, so that it cannot return a result before it dies.
    process.kill(pid, 'SIGSTOP');
    const outcome = compressor.compress(SMALL, signal);
    process.kill(pid, 'SIGKILL');
    expect(await outcome).toEqual({ kind: 'crashed', how: 'SIGKILL' });
    expect(await compressor.compress(SMALL, signal)).toMatchObject({ kind: 'forms' });
    expect(compressor.pid).not.toBe(pid);
  });

  it('ignores SIGINT and SIGTERM, which are meant for the server', async () => {
    const compressor = createForTest();
    await compressor.compress(SMALL, signal);
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.kill(compressor.pid!, name);
    expect(await compressor.compress(SMALL, signal)).toMatchObject({ kind: 'forms' });
  });

  it('kills the process at once when the caller aborts a compression', async () => {
    const compressor = createForTest();
    await compressor.compress(SMALL, signal);
    const pid = compressor.pid!;
    const stopping = new AbortController();
    const outcome = compressor.compress(SLOW_BYTES, stopping.signal);
    stopping.abort();
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect(compressor.compress(SMALL, stopping.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(compressor.pid).toBeNull();
  });

  it('kills its process after an idle period', async () => {
    const compressor = createForTest({ idleMs: 20 });
    await compressor.compress(SMALL, signal);
    await expect.poll(() => compressor.pid).toBeNull();
    expect(await compressor.compress(SMALL, signal)).toMatchObject({ kind: 'forms' });
  });

  it('rejects a second content while the first content is being compressed', async () => {
    const compressor = createForTest();
    const firstForms = compressor.compress(SMALL, signal);
    await expect(compressor.compress(SMALL, signal)).rejects.toThrow('one content at a time');
    expect(await firstForms).toMatchObject({ kind: 'forms' });
  });
});
