import { describe, expect, it } from 'vitest';
import {
  BLOCKED_EXTENSIONS,
  isDotFile,
  isJunk,
  isWithheld,
  mayHoldPrivateKey,
  PRIVATE_KEY_MARKER,
  refusedPath,
} from '../src/refused-files.ts';

const BUILT_IN = new Set(BLOCKED_EXTENSIONS);

describe('api §3: refusedPath', () => {
  it('refuses the extensions of the given list only (api §10)', () => {
    const blocked = new Set(['mp4']);
    expect(refusedPath('a/film.MP4', blocked)).toBe('this server does not publish .mp4 files');
    expect(refusedPath('setup.exe', blocked)).toBeNull();
    expect(refusedPath('.env', new Set())).toContain('environment files');
  });

  it.each([
    ['programs and installers (.exe)', ['setup.exe', 'a/b/SETUP.EXE', 'photo.jpg.exe', '.exe']],
    ['programs and installers (.exe)', ['setup.exe.', 'setup.exe ', 'setup.exe. .']],
    ['a repository', ['.git/config', 'a/.git/HEAD', '.git', '.well-known/.git/HEAD']],
    ['environment files', ['.env', '.env.production', '.envrc', 'a/.env.local', '.well-known/.env']],
    ['private keys', ['id_rsa', 'a/.ssh/id_rsa', 'id_ed25519', 'id_ecdsa', 'id_dsa']],
    ['node_modules/', ['node_modules/x.js', 'node_modules/x/index.js']],
  ])('gives a reason with "%s" for each of %j', (reason, paths) => {
    for (const path of paths) expect(refusedPath(path, BUILT_IN), path).toContain(reason);
  });

  it.each([
    ['programs', 'exe exe/index.html a.exe.html archive.zip script.sh app.js a a. index.html'],
    ['repositories', '.gitignore .github/x a.git/x'],
    ['environment files', 'env a.env'],
    ['keys', 'id_rsa.pub my_id_rsa cert.pem'],
    ['node_modules/', 'a/node_modules/x.js node_modules'],
    ['hidden files', '.DS_Store .well-known/assetlinks.json'],
  ])('accepts paths that only resemble %s, such as each of %s', (_, paths) => {
    for (const path of paths.split(' ')) expect(refusedPath(path, BUILT_IN), path).toBeNull();
  });

  it.each(BLOCKED_EXTENSIONS.map((extension) => [extension]))('refuses the extension .%s in any case', (extension) => {
    expect(extension).toMatch(/^[a-z0-9]+$/);
    expect(refusedPath(`a.${extension}`, BUILT_IN)).toContain(`(.${extension})`);
    expect(refusedPath(`a.${extension.toUpperCase()}`, BUILT_IN)).toContain(`(.${extension})`);
  });

  it('has a list of refused extensions in which no extension is repeated', () => {
    expect(new Set(BLOCKED_EXTENSIONS).size).toBe(BLOCKED_EXTENSIONS.length);
  });
});

describe('api §3: the marker of private keys in PEM form', () => {
  it.each(['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])('matches a line with "BEGIN %sPRIVATE KEY"', (kind) => {
    for (const textBefore of ['', 'text before\n'])
      expect(`${textBefore}-----BEGIN ${kind}PRIVATE KEY-----\nMII`).toMatch(PRIVATE_KEY_MARKER);
  });

  it('does not match public keys and certificates', () => {
    for (const text of ['-----BEGIN PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----', 'BEGIN PRIVATE KEY'])
      expect(text).not.toMatch(PRIVATE_KEY_MARKER);
  });

  it.each([
    [true, 'a.pem a/B.PEM server.key'],
    [false, 'a.pem.txt pem index.html'],
  ])('is only searched for in some files: mayHoldPrivateKey returns %s for each of %s', (isSearched, paths) => {
    for (const path of paths.split(' ')) expect(mayHoldPrivateKey(path), path).toBe(isSearched);
  });
});

it.each([
  [true, '.DS_Store a/b/.DS_Store .git/.DS_Store Thumbs.db a/Thumbs.db desktop.ini'],
  [true, '__MACOSX/._a __MACOSX/a/b a/__MACOSX/b'],
  [false, 'DS_Store .DS_Store/a Thumbs.db.html desktop.ini/x __MACOSX __MACOSX.html ._a index.html'],
])('api §3: isJunk returns %s for each of the files %s', (junk, paths) => {
  for (const path of paths.split(' ')) expect(isJunk(path), path).toBe(junk);
});

describe('api §3, S12: a stored file', () => {
  it.each([
    ['a dot file', true, true, '.htaccess a/.hidden .a/b.html a/.well-known/x .well-known ..a'],
    ['a configuration file', false, true, 'ship.json _redirects _headers _worker.js _routes.json'],
    ['a served file', false, false, '.well-known/security.txt .well-known/.a/b a.b/c index.html'],
    ['a file in a folder', false, false, 'a/ship.json a/_redirects'],
  ])('that is %s has isDotFile = %s and isWithheld = %s, as each of %s', (_, dot, withheld, paths) => {
    for (const path of paths.split(' ')) {
      expect(isDotFile(path), path).toBe(dot);
      expect(isWithheld(path), path).toBe(withheld);
    }
  });
});
