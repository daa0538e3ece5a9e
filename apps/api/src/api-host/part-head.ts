import { FILES_FIELD } from '@berth/contract';
import busboy from 'busboy';
import { HEAD_END } from './multipart-splitter.ts';

/** A part of a form: a file with its name, or a field with its value. What the part does not have is `undefined`. */
export type FormPart =
  | { kind: 'file'; name: string | undefined; filename: string | undefined }
  | { kind: 'field'; name: string | undefined; value: string | undefined };

/** The begin of the head of a file as nearly all clients write it. Its name and the rest follow. */
const USUAL_BEGIN = Buffer.from(`Content-Disposition: form-data; name="${FILES_FIELD}"; filename="`);
const USUAL_NAME = /^[^\\\p{Cc}]+$/u;
const USUAL_REST = /^"(?:\r\nContent-Type: [\x20-\x7e]+)?$/;
const QUOTE = 0x22;

/**
 * Reads the name of a file from a head that most clients write. Faster than {@link readPart}, which agrees with it.
 *
 * @returns `null` for any other head.
 */
export function readUsualFile(head: Buffer): string | null {
  const begin = USUAL_BEGIN.length;
  if (head.length < begin || head.compare(USUAL_BEGIN, 0, begin, 0, begin) !== 0) return null;
  const end = head.indexOf(QUOTE, begin);
  if (end < 0 || !USUAL_REST.test(head.toString('latin1', end))) return null;
  // A part of a longer text would keep all of it in memory.
  const name = head.toString('utf8', begin, end);
  return USUAL_NAME.test(name) ? name : null;
}

/**
 * Reads a part of a form with all variants that the standards allow: folded and repeated headers, escapes, charsets.
 *
 * @param value The bytes of a field; not needed for a file.
 * @returns `null` if the headers cannot be read. Source: security F1, F3; RFC 7578 §4.2.
 */
export function readPart(head: Buffer, value: Buffer, boundary: string): FormPart | null {
  let part: FormPart | null = null;
  const parser = busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    preservePath: true,
    defParamCharset: 'utf8',
    limits: { fieldSize: value.length + 1 },
  });
  parser
    .on('file', (name, stream, { filename }) => {
      part = { kind: 'file', name, filename };
      stream.resume();
    })
    .on('field', (name, text: string | undefined) => (part = { kind: 'field', name, value: text }))
    // A head that cannot be read leaves the part `null`.
    .on('error', () => {});
  parser.end(
    Buffer.concat([Buffer.from(`--${boundary}\r\n`), head, HEAD_END, value, Buffer.from(`\r\n--${boundary}--`)]),
  );
  return part;
}
