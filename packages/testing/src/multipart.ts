import { hash } from 'node:crypto';

/** One part of a body: its header lines, and its bytes. */
export interface Part {
  headers: string[];
  body: string | Buffer;
}

export interface Form {
  contentType: string;
  body: Buffer;
}

export interface FormShape {
  /** Default: `berth-test-7d0a`. */
  boundary?: string;
  /** What ends a line. Default: CR LF. */
  eol?: string;
  preamble?: string;
  /** What follows the closing boundary. Default: an end of line. */
  epilogue?: string;
  /** Whether there is a closing boundary. Default: true. */
  closed?: boolean;
}

const DISPOSITION = 'Content-Disposition: form-data; name="files[]"';

/** A file part whose disposition ends in `parameters`, such as `filename="a.txt"`, which are not escaped. */
export function rawFile(parameters: string, body: string | Buffer, ...headers: string[]): Part {
  return { headers: [`${DISPOSITION}; ${parameters}`, ...headers], body };
}

/** A file part. The name is not escaped. */
export function file(name: string, body: string | Buffer, ...headers: string[]): Part {
  return rawFile(`filename="${name}"`, body, 'Content-Type: text/plain', ...headers);
}

/** A field part. */
export function field(name: string, value: string | Buffer, ...headers: string[]): Part {
  return { headers: [`Content-Disposition: form-data; name="${name}"`, ...headers], body: value };
}

/** The `checksums` field for these bytes, in this order. */
export function checksums(...bytes: (string | Buffer)[]): Part {
  return field('checksums', JSON.stringify(bytes.map((each) => hash('md5', each))));
}

/** The parts, followed by the checksums of those among them that are named `files[]`. */
export function withChecksums(parts: readonly Part[]): Part[] {
  return [
    ...parts,
    checksums(
      ...parts.filter(({ headers }) => headers.some((line) => line.startsWith(DISPOSITION))).map(({ body }) => body),
    ),
  ];
}

/** A body of these parts. */
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
export function post<Answer>(
  { api }: { api(path: string, ask: PostOptions & { method: string; body: Buffer }): Promise<Answer> },
  { contentType, body }: Form,
  { headers, ...ask }: PostOptions = {},
): Promise<Answer> {
  return api('/deployments', { method: 'POST', ...ask, headers: { 'Content-Type': contentType, ...headers }, body });
}

/** The head of a deploy request over a raw socket. */
export function deployHead(port: number, { contentType, body }: Form, headers: Record<string, string> = {}): string {
  const all = {
    Host: `localhost:${port}`,
    'Content-Type': contentType,
    'Content-Length': String(body.length),
    ...headers,
  };
  return `POST /deployments HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}
