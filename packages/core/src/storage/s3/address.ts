/** Where packs are stored in an object store that speaks the protocol of S3. */
export interface S3Address {
  bucket: string;
  /** The beginning of all keys: empty, or ending with a slash. */
  prefix: string;
  /** The URL of the store; `null` for that of AWS. */
  endpoint: string | null;
  /** `null` for the region of the environment, such as `AWS_REGION`. */
  region: string | null;
  /** Whether the bucket is in the path of URLs instead of in the host name. */
  pathStyle: boolean;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7}$/;
const REGION = /^[a-z0-9-]{1,64}$/;
const PARAMETERS = ['endpoint', 'region', 'path-style'];
const EXAMPLE = '"s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-1&path-style=1"';

/** Reads a URL such as `s3://bucket/prefix?region=eu-1`. @throws Error that says what is wrong, without the text. Source: api §10. */
export function parseS3Address(text: string): S3Address {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw new Error(`the value must be a URL like ${EXAMPLE}`);
  if (url.username || url.password || url.port || url.hash)
    throw new Error(
      'the URL must contain only a bucket, a prefix and parameters; keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  const folder = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (!BUCKET.test(url.hostname))
    throw new Error('the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens');
  if (folder !== '' && !PREFIX.test(folder))
    throw new Error('the prefix must be folders of letters, digits, dots, hyphens and underscores');
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name) || url.searchParams.getAll(name).length > 1)
      throw new Error(`each parameter must be one of ${PARAMETERS.join(', ')}, and occur once`);
  return {
    bucket: url.hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint: parseEndpoint(url.searchParams.get('endpoint')),
    region: parseRegion(url.searchParams.get('region')),
    pathStyle: parsePathStyle(url.searchParams.get('path-style')),
  };
}

function parseEndpoint(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if ((url?.protocol !== 'https:' && url?.protocol !== 'http:') || url.pathname !== '/' || url.search || url.username)
    throw new Error('endpoint must be an http or https URL without a path, such as "https://s3.example.com"');
  return url.origin;
}

function parseRegion(text: string | null): string | null {
  if (text !== null && !REGION.test(text))
    throw new Error('region must have only lower-case letters, digits and hyphens');
  return text;
}

function parsePathStyle(text: string | null): boolean {
  if (text !== null && text !== '1' && text !== '0') throw new Error('path-style must be 1 or 0');
  return text === '1';
}
