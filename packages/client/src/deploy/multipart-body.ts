import { createHash } from 'node:crypto';
import { FILES_FIELD } from '@berth/contract';
import { piecesOf, type Source } from './source.ts';
import type { BodyProgress } from './upload-progress.ts';

/**
 * Generates the form of `POST /deployments`: the fields, the files, and then their checksums, which are computed on the way.
 *
 * Source: api §3.
 */
export async function* multipartBody(
  source: Source,
  fields: Readonly<Record<string, string>>,
  boundary: string,
  { onPiece, onFile }: BodyProgress,
): AsyncGenerator<Uint8Array> {
  const field = (name: string, value: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  for (const [name, value] of Object.entries(fields)) yield field(name, value);
  const checksums: string[] = [];
  for (const file of source.files) {
    const bytes = source.read(file);
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${FILES_FIELD}"; filename="${file.path}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    const md5 = createHash('md5');
    for await (const piece of piecesOf(bytes)) {
      md5.update(piece);
      yield piece;
      onPiece(piece.length);
    }
    checksums.push(md5.digest('hex'));
    yield Buffer.from('\r\n');
    onFile();
  }
  yield field('checksums', JSON.stringify(checksums));
  yield Buffer.from(`--${boundary}--\r\n`);
}
