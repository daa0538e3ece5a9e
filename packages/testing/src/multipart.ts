import { hash } from 'node:crypto';

/** One part of a multipart body: its header lines, and its bytes. */
export interface Part {
  headers: string[];
  body: string | Buffer;
}

export interface Form {
  contentType: string;
  body: Buffer;
}

export interface FormShape {
  /** The boundary of the body. Default: `berth-test-7d0a`. */
  boundary?: string;
  /** The line ending. Default: CR LF. */
  eol?: string;
  preamble?: string;
  /** The text after the closing boundary. Default: one line ending. */
  epilogue?: string;
  /** Whether the body ends with a closing boundary. Default: true. */
  closed?: boolean;
}

const DISPOSITION = 'Content-Disposition: form-data; name="files[]"';

/** Returns a file part whose `Content-Disposition` contains `parameters` unescaped, such as `filename="a.txt"`. */
export function rawFile(parameters: string, body: string | Buffer, ...headers: string[]): Part {
  return { headers: [`${DISPOSITION}; ${parameters}`, ...headers], body };
}

/** Returns a text file part. The name is not escaped. */
export function file(name: string, body: string | Buffer, ...headers: string[]): Part {
  return rawFile(`filename="${name}"`, body, 'Content-Type: text/plain', ...headers);
}

/** Returns a form field as a part. */
export function field(name: string, value: string | Buffer, ...headers: string[]): Part {
  return { headers: [`Content-Disposition: form-data; name="${name}"`, ...headers], body: value };
}

/** Returns the `checksums` field for the given bytes, in the given order. */
export function checksums(...bytes: (string | Buffer)[]): Part {
  return field('checksums', JSON.stringify(bytes.map((each) => hash('md5', each))));
}

/** Returns the parts and a `checksums` field for those parts that are named `files[]`. */
export function withChecksums(parts: readonly Part[]): Part[] {
  return [
    ...parts,
    checksums(
      ...parts.filter(({ headers }) => headers.some((line) => line.startsWith(DISPOSITION))).map(({ body }) => body),
    ),
  ];
}

/** Joins parts into a multipart body. */
export function multipart(parts: readonly Part[], shape: FormShape = {}): Form {
  const { boundary = 'berth-test-7d0a', eol = '\r\n', preamble = '', epilogue = eol, closed = true } = shape;
  const pieces: (string | Buffer)[] = [preamble];
  for (const { headers, body } of parts)
    pieces.push(`--${boundary}${eol}${headers.map((line) => line + eol).join('')}${eol}`, body, eol);
  if (closed) pieces.push(`--${boundary}--${epilogue}`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(pieces.map((piece) => Buffer.from(piece))),
  };
}

interface PostOptions {
  key?: string | null;
  headers?: Record<string, string>;
}

/** Sends a form to `POST /deployments`. */
export function post<Result>(
  { api }: { api(path: string, options: PostOptions & { method: string; body: Buffer }): Promise<Result> },
  { contentType, body }: Form,
  { headers, ...options }: PostOptions = {},
): Promise<Result> {
  return api('/deployments', {
    method: 'POST',
    ...options,
    headers: { 'Content-Type': contentType, ...headers },
    body,
  });
}

/** Returns the request head of a deploy, to be sent over a raw socket. */
export function deployHead(port: number, { contentType, body }: Form, headers: Record<string, string> = {}): string {
  const allHeaders = {
    Host: `localhost:${port}`,
    'Content-Type': contentType,
    'Content-Length': String(body.length),
    ...headers,
  };
  return `POST /deployments HTTP/1.1\r\n${Object.entries(allHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}
