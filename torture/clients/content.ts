import { createCipheriv, createHash, hash } from 'node:crypto';

/** One file of a site. Its bytes follow from seed and size, so that many sites take little memory. */
export interface FileSpec {
  path: string;
  seed: string;
  size: number;
  /** Whether the bytes look random. Otherwise they are a text that compresses well. */
  random: boolean;
}

/** Returns the bytes of a file. */
export function bytesOf({ seed, size, random }: Omit<FileSpec, 'path'>): Buffer {
  if (!random) return Buffer.alloc(size, `${seed}: the quick brown fox jumps over the lazy dog.\n`);
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

export const digestOf = (file: FileSpec): string => hash('sha256', bytesOf(file));

const SHARED_FILES = 12;
const BIG_BYTES = 1_300_000;
/** More than an object store gets with one request. */
const HUGE_BYTES = 9_000_000;

/**
 * Makes the files of a site: a marker that only this site has, and files that other sites have too, so that deploys often
 * store the same content at the same time.
 */
export function makeFiles(marker: string, random: () => number): FileSpec[] {
  const files: FileSpec[] = [
    { path: 'index.html', seed: `<h1>${marker}</h1>`, size: 300 + Math.floor(random() * 3_000), random: false },
  ];
  for (let i = 0; i < 2; i += 1) {
    const n = Math.floor(random() * SHARED_FILES);
    files.push({ path: `shared/${i}.txt`, seed: `shared ${n}`, size: 900 * (n + 1), random: n % 3 === 0 });
  }
  if (random() < 0.4)
    files.push({ path: 'data.bin', seed: marker, size: 20_000 + Math.floor(random() * 60_000), random: true });
  if (random() < 0.15) {
    const isShared = random() < 0.5;
    files.push({ path: 'big.bin', seed: isShared ? 'big' : `big ${marker}`, size: BIG_BYTES, random: true });
  }
  if (random() < 0.02) files.push({ path: 'huge.bin', seed: `huge ${marker}`, size: HUGE_BYTES, random: true });
  return files;
}
