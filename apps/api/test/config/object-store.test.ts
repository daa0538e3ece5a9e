import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from './faults.ts';

const DATABASE_URL = 'postgres://u@host/db';
const STORE = { DATABASE_URL, STORAGE_URL: 's3://sites' };
const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hidden' };

describe('STORAGE_URL', () => {
  it.each([
    ['s3://sites', { bucket: 'sites', prefix: '', endpoint: null, region: null, pathStyle: false }],
    ['s3://my.sites/a/b/?region=eu-1', { bucket: 'my.sites', prefix: 'a/b/', region: 'eu-1' }],
    [
      's3://sites/berth?endpoint=https://s3.example.com:9000&path-style=1',
      { prefix: 'berth/', endpoint: 'https://s3.example.com:9000', pathStyle: true },
    ],
  ])('api §10: reads %s', (text, address) => {
    expect(readConfig({ DATABASE_URL, STORAGE_URL: text }).objectStore!.address).toMatchObject(address);
  });

  it.each([
    ['https://sites', /^STORAGE_URL: the value must be a URL like "s3:/],
    ['s3://', /^STORAGE_URL: the bucket must have 3 to 63/],
    ['s3://key:hidden@sites', /^STORAGE_URL: the URL must contain only .*; keys belong in AWS_ACCESS_KEY_ID/],
    ['s3://sites/../x%20y', /^STORAGE_URL: the prefix must be folders/],
    ['s3://sites?endpoint=ftp://s3.example.com', /^STORAGE_URL: endpoint must be an http or https URL/],
    ['s3://sites?region=EU', /^STORAGE_URL: region must have only/],
    ['s3://sites?path-style=yes', /^STORAGE_URL: path-style must be 1 or 0/],
    ['s3://sites?secret=hidden', /^STORAGE_URL: each parameter must be one of endpoint, region, path-style/],
  ])('api §10: refuses %s, and shows no secret', (text, message) => {
    const faults = faultsOf({ DATABASE_URL, STORAGE_URL: text });
    expect(faults).toEqual([expect.stringMatching(message)]);
    expect(faults[0]).not.toContain('hidden');
  });

  it('needs a database outside of Berth, because the embedded one would be lost with its machine', () => {
    expect(faultsOf({ STORAGE_URL: 's3://sites' })).toEqual([
      expect.stringMatching(/^DATABASE_URL: the variable must be set with STORAGE_URL, because /),
    ]);
  });
});

describe('the keys of the object store', () => {
  it('api §10: are those of the variables, or those that the programs of AWS find', () => {
    const credentialsOf = (env: Record<string, string>) => readConfig({ ...STORE, ...env }).objectStore!.credentials;
    expect(credentialsOf({})).toBeNull();
    expect(credentialsOf(KEYS)).toEqual({ accessKeyId: 'id', secretAccessKey: 'hidden' });
    expect(credentialsOf({ ...KEYS, AWS_SESSION_TOKEN: 'token' })).toMatchObject({ sessionToken: 'token' });
  });

  it('api §10: are only checked if there is an object store', () => {
    const { AWS_ACCESS_KEY_ID } = KEYS;
    expect(readConfig({ AWS_ACCESS_KEY_ID }).objectStore).toBeNull();
    expect(faultsOf({ ...STORE, AWS_ACCESS_KEY_ID })).toEqual([
      'AWS_SECRET_ACCESS_KEY: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.',
    ]);
  });
});

describe('CACHE_BYTES', () => {
  it.each([
    ['', 10 * 1024 ** 3],
    ['500 MiB', 500 * 1024 ** 2],
    ['2TiB', 2 * 1024 ** 4],
    ['100000000', 100_000_000],
  ])('api §10: reads "%s"', (text, bytes) => {
    expect(readConfig({ ...STORE, CACHE_BYTES: text }).objectStore!.cacheBytes).toBe(bytes);
  });

  it.each(['10GB', '1MiB', '-1', 'much', '9000TiB '.repeat(2)])('api §10: refuses "%s"', (text) => {
    expect(faultsOf({ ...STORE, CACHE_BYTES: text })).toEqual([
      expect.stringMatching(
        /^CACHE_BYTES: .* is not a size of at least 64MiB; use a number and a unit, such as "10GiB"\.$/,
      ),
    ]);
  });
});
