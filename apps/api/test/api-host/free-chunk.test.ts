import { describe, expect, it } from 'vitest';
import { freeChunk } from '../../src/api-host/body-chunks.ts';

describe('the memory of a chunk', () => {
  it('is freed if the chunk is all of it', () => {
    const chunk = Buffer.from(new ArrayBuffer(65_536));
    freeChunk(chunk);
    expect(chunk.length).toBe(0);
  });

  it('is kept if other buffers share it', () => {
    const whole = Buffer.from(new ArrayBuffer(65_536)).fill('a');
    freeChunk(whole.subarray(1));
    freeChunk(whole.subarray(0, 100));
    expect(whole.toString()).toBe('a'.repeat(65_536));
    const pooled = Buffer.from('short');
    freeChunk(pooled);
    expect(pooled.toString()).toBe('short');
  });

  it('is kept if other threads share it', () => {
    const chunk = Buffer.from(new SharedArrayBuffer(8));
    freeChunk(chunk);
    expect(chunk.length).toBe(8);
  });
});
