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

describe('api §3: content that is refused by its path', () => {
  it.each([
    ['setup.exe', 'programs and installers (.exe)'],
    ['a/b/SETUP.EXE', 'programs and installers (.exe)'],
    ['photo.jpg.exe', 'programs and installers (.exe)'],
    ['.exe', 'programs and installers (.exe)'],
    ['setup.exe.', 'programs and installers (.exe)'],
    ['setup.exe ', 'programs and installers (.exe)'],
    ['setup.exe. .', 'programs and installers (.exe)'],
    ['.git/config', 'a repository'],
    ['a/.git/HEAD', 'a repository'],
    ['.git', 'a repository'],
    ['.well-known/.git/HEAD', 'a repository'],
    ['.env', 'environment files'],
    ['.env.production', 'environment files'],
    ['.envrc', 'environment files'],
    ['a/.env.local', 'environment files'],
    ['.well-known/.env', 'environment files'],
    ['id_rsa', 'private keys'],
    ['a/.ssh/id_rsa', 'private keys'],
    ['id_ed25519', 'private keys'],
    ['id_ecdsa', 'private keys'],
    ['id_dsa', 'private keys'],
    ['node_modules/x/index.js', 'node_modules/'],
  ])('%s: %s', (path, reason) => {
    expect(refusedPath(path)).toContain(reason);
  });

  it.each([
    ['index.html'],
    ['exe'],
    ['exe/index.html'],
    ['a.exe.html'],
    ['.gitignore'],
    ['.github/x'],
    ['a.git/x'],
    ['env'],
    ['a.env'],
    ['id_rsa.pub'],
    ['my_id_rsa'],
    ['a/node_modules/x.js'],
    ['node_modules'],
    ['cert.pem'],
    ['.DS_Store'],
    ['a'],
    ['a.'],
    ['archive.zip'],
    ['script.sh'],
    ['app.js'],
    ['.well-known/assetlinks.json'],
  ])('accepts %s', (path) => {
    expect(refusedPath(path)).toBeNull();
  });

  it.each(BLOCKED_EXTENSIONS.map((extension) => [extension]))('refuses .%s in any case', (extension) => {
    expect(extension).toMatch(/^[a-z0-9]+$/);
    expect(refusedPath(`a.${extension}`)).toContain(`(.${extension})`);
    expect(refusedPath(`a.${extension.toUpperCase()}`)).toContain(`(.${extension})`);
  });

  it('lists each extension once', () => {
    expect(new Set(BLOCKED_EXTENSIONS).size).toBe(BLOCKED_EXTENSIONS.length);
  });
});

describe('api §3: private keys in PEM form', () => {
  it.each([
    ['-----BEGIN PRIVATE KEY-----', true],
    ['-----BEGIN RSA PRIVATE KEY-----', true],
    ['-----BEGIN EC PRIVATE KEY-----', true],
    ['-----BEGIN OPENSSH PRIVATE KEY-----', true],
    ['-----BEGIN ENCRYPTED PRIVATE KEY-----', true],
    ['text before\n-----BEGIN RSA PRIVATE KEY-----\nMII', true],
    ['-----BEGIN PUBLIC KEY-----', false],
    ['-----BEGIN CERTIFICATE-----', false],
    ['BEGIN PRIVATE KEY', false],
  ])('%j: %s', (text, matches) => {
    expect(PRIVATE_KEY_MARKER.test(text)).toBe(matches);
  });

  it.each([
    ['a.pem', true],
    ['a/B.PEM', true],
    ['server.key', true],
    ['a.pem.txt', false],
    ['pem', false],
    ['index.html', false],
  ])('searches %s: %s', (path, searched) => {
    expect(mayHoldPrivateKey(path)).toBe(searched);
  });
});

describe('api §3: junk', () => {
  it.each([
    ['.DS_Store'],
    ['a/b/.DS_Store'],
    ['Thumbs.db'],
    ['a/Thumbs.db'],
    ['desktop.ini'],
    ['__MACOSX/._a'],
    ['__MACOSX/a/b'],
    ['a/__MACOSX/b'],
    ['.git/.DS_Store'],
  ])('drops %s', (path) => {
    expect(isJunk(path)).toBe(true);
  });

  it.each([
    ['DS_Store'],
    ['.DS_Store/a'],
    ['Thumbs.db.html'],
    ['desktop.ini/x'],
    ['__MACOSX'],
    ['__MACOSX.html'],
    ['._a'],
    ['index.html'],
  ])('keeps %s', (path) => {
    expect(isJunk(path)).toBe(false);
  });
});

describe('api §3, S12: stored, never served', () => {
  it.each([
    ['.htaccess', true, true],
    ['a/.hidden', true, true],
    ['.a/b.html', true, true],
    ['a/.well-known/x', true, true],
    ['.well-known', true, true],
    ['.well-known/security.txt', false, false],
    ['.well-known/.a/b', false, false],
    ['..a', true, true],
    ['a.b/c', false, false],
    ['ship.json', false, true],
    ['_redirects', false, true],
    ['_headers', false, true],
    ['_worker.js', false, true],
    ['_routes.json', false, true],
    ['a/ship.json', false, false],
    ['a/_redirects', false, false],
    ['index.html', false, false],
  ])('%s: a dot file %s, withheld %s', (path, dot, withheld) => {
    expect(isDotFile(path)).toBe(dot);
    expect(isWithheld(path)).toBe(withheld);
  });
});
