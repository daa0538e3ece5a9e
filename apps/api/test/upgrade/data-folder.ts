import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Keepsakes } from './fill.ts';
import { LAST_RELEASE } from './last-release.ts';
import type { Observation } from './observe.ts';

/** What is known about the data folder of the last release. */
export interface DataFolder {
  /** When it was made, in milliseconds. */
  made: number;
  keepsakes: Keepsakes;
  observation: Observation;
}

const FILE = join(import.meta.dirname, '../../../../fixtures/data-folders', LAST_RELEASE.version);
const ARCHIVE = `${FILE}.tar.zst`;
const WINDOW_LOG = 27;

export async function readDataFolder(): Promise<DataFolder> {
  return JSON.parse(await readFile(`${FILE}.json`, 'utf8')) as DataFolder;
}

/** Packs a data folder. The databases of PostgreSQL are nearly equal, so distant repetitions are found. */
export async function packDataFolder(dataDir: string, content: DataFolder): Promise<void> {
  const tar = spawn('tar', ['-c', '--exclude=*.lock', '--exclude=*.log', '-C', dataDir, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const compress = createZstdCompress({
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  });
  await pipeline(tar.stdout, compress, createWriteStream(ARCHIVE));
  await writeFile(`${FILE}.json`, `${JSON.stringify(content)}\n`);
}

export async function unpackDataFolder(dataDir: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-p', '-C', dataDir], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(tar, 'exit');
  const decompress = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } });
  await pipeline(createReadStream(ARCHIVE), decompress, tar.stdin);
  if ((await ended)[0] !== 0) throw new Error(`${ARCHIVE} could not be unpacked.`);
}
