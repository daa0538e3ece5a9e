import { describe, expect, it } from 'vitest';
import { fillDestination, readDestination } from '../../src/rules/destination.ts';
import { Fault } from '../../src/rules/fault.ts';
import { type Dialect, matchPattern, readPattern, subjectOf } from '../../src/rules/pattern.ts';
import { formatRequestPath } from '../../src/request-path.ts';

/** Returns the `Location` of a rule for a path, or the message of a fault as `fault: ...`. */
function locationOf(dialect: Dialect, from: string, to: string, path: string): string | null {
  const read = readPattern(from, dialect);
  if (read instanceof Fault) throw new Error(read.message);
  const destination = readDestination(to, read.captures, dialect);
  if (destination instanceof Fault) return `fault: ${destination.message}`;
  const captures = typeof read.pattern === 'string' ? [] : matchPattern(read.pattern, subjectOf(path));
  const target = captures && fillDestination(destination, captures);
  return target && (target.origin ?? '') + formatRequestPath(target.path) + target.query + target.fragment;
}

describe('a destination with its captures filled in (S13, S24, S27)', () => {
  it.each<[Dialect, string, string, string, string]>([
    ['lines', '/a', '/', 'a', '/'],
    ['lines', '/a', '/b', 'a', '/b'],
    ['lines', '/a', '/b/', 'a', '/b/'],
    ['lines', '/a', '/b%20c/caf\u00e9', 'a', '/b%20c/caf%C3%A9'],
    ['lines', '/a', '/b?x=1&y=%2F', 'a', '/b?x=1&y=%2F'],
    ['lines', '/a', '/b#top', 'a', '/b#top'],
    ['lines', '/a', '/b?x=\u00e9#\u00fc', 'a', '/b?x=%C3%A9#%C3%BC'],
    ['lines', '/a', '/b##c', 'a', '/b##c'],
    ['lines', '/a', '/time/12:30', 'a', '/time/12:30'],
    ['lines', '/a', '/price/$1', 'a', '/price/$1'],
    ['lines', '/a', 'https://matrix.to/#/#room:example.org', 'a', 'https://matrix.to/#/#room:example.org'],
    ['lines', '/:page', '/wiki/Special:Random?x=:page', 'a', '/wiki/Special:Random?x=a'],
    ['json', '/a', 'https://w.example/Special:Random*', 'a', 'https://w.example/Special:Random*'],
    ['lines', '/:room', '/x:room', 'a', '/xa'],
    ['lines', '/a', 'https://B.example', 'a', 'https://b.example/'],
    ['lines', '/a', 'https://b.example:8443/x//y?z#w', 'a', 'https://b.example:8443/x//y?z#w'],
    ['lines', '/a', 'http://b.example:80/x', 'a', 'http://b.example/x'],
    ['lines', '/a', 'https://b\u00fccher.example/', 'a', 'https://xn--bcher-kva.example/'],
    ['lines', '/:y/:s', '/blog/:s-:y', '2024/hi', '/blog/hi-2024'],
    ['lines', '/u/:id', '/user?id=:id#u-:id', 'u/a&b=c d', '/user?id=a%26b%3Dc%20d#u-a%26b%3Dc%20d'],
    ['lines', '/old/*', '/new/:splat', 'old/a b/c', '/new/a%20b/c'],
    ['lines', '/old/*', '/new/:splat', 'old', '/new/'],
    ['lines', '/old/*', '/new/:splat', 'old/a/', '/new/a/'],
    ['lines', '/old/*', '/new/:splat/x', 'old', '/new/x'],
    ['lines', '/old/*', 'https://b.example/:splat', 'old/a?b#c', 'https://b.example/a%3Fb%23c'],
    ['lines', '/*', '/go?to=:splat', 'a/b?', '/go?to=a/b%3F'],
    ['json', '/old/(.*)', '/new/$1', 'old/a/b', '/new/a/b'],
    ['json', '/:l/(.*)', '/$1/:l', 'de/a', '/a/de'],
    ['json', '/old/:path*', '/new/:path*', 'old/a/b', '/new/a/b'],
    ['json', '/old/:path*', '/new/:path', 'old/a/b', '/new/a/b'],
    ['json', '/old/:path+', '/new/:path+', 'old/a/b', '/new/a/b'],
    ['json', '/old/:path*', '/new/$1', 'old/a/b', '/new/a/b'],
  ])('of a rule in the dialect %s from %s to %s, requested as /%s, is %s', (dialect, from, to, path, expected) => {
    expect(locationOf(dialect, from, to, path)).toBe(expected);
  });

  it.each([
    ['/x*', '/:splat', 'x/evil.example/y', '/evil.example/y'],
    ['/x*', '/:splat/', 'x', '/'],
    ['/*', '//:splat', 'evil.example', 'fault: a destination on another host must start with https:// or http://'],
    ['/:a', '/.:a', '.', '/'],
    ['/a/*', '/..:splat/x', 'a', '/x'],
    ['/e/*', '/e:splat', 'e/\u0301', '/%C3%A9'],
  ])('of a rule from %s to %s stays inside the site, requested as /%s (S13)', (from, to, path, expected) => {
    expect(locationOf('lines', from, to, path)).toBe(expected);
  });

  it('is skipped if the captures make the address too long (S66)', () => {
    expect(locationOf('lines', '/*', `/${':splat'.repeat(100)}`, 'x'.repeat(1000))).toBeNull();
  });
});

describe('an invalid destination (S24, S30)', () => {
  it.each<[message: string, dialect: Dialect, from: string, destinations: string[]]>([
    ['must start with a slash', 'lines', '/a', ['b', '']],
    ['https://', 'lines', '/a', ['//b.example/x', '/\\b.example', '\\\\b.example']],
    ['https://', 'lines', '/a', ['javascript:alert(1)', 'ftp://b.example']],
    ['not a valid address', 'lines', '/a', ['https://', 'https:///x', 'https://a b/', 'https://b.example:99999/']],
    ['user name', 'lines', '/a', ['https://user:pw@b.example/']],
    ['host', 'lines', '/:h', ['https://:h.example/']],
    ['host', 'lines', '/*', ['https://:splat/']],
    ['host', 'json', '/(.*)', ['https://$1.example/']],
    ['no capture :b', 'lines', '/a', ['/:b']],
    ['no capture :splat', 'lines', '/a', ['/:splat']],
    ['no capture $1', 'json', '/a', ['/$1']],
    ['no capture $2', 'json', '/(.*)', ['/$2']],
    ['no capture :id*', 'json', '/:id', ['/:id*']],
    ['no capture :splat', 'json', '/(.*)', ['/:splat']],
    ['without braces', 'json', '/:a', ['/b/{:a}', '/b?x={:a}']],
    ['without braces', 'lines', '/*', ['/b/{:splat}']],
    ['empty', 'lines', '/a', ['/b//c']],
    ['..', 'lines', '/a', ['/../c']],
    ['slash', 'lines', '/a', ['/b%2Fc']],
    ['%25', 'lines', '/a', ['/b%zz']],
    ['control', 'json', '/a', ['/b\nSet-Cookie: x', '/b\u0000']],
    ['UTF-8', 'json', '/a', ['/b?\ud800']],
    ['2000', 'lines', '/a', [`/${'b'.repeat(2000)}`]],
  ])('is rejected with "%s" in the dialect %s: from %j to each of %.60j', (message, dialect, from, destinations) => {
    const read = readPattern(from, dialect);
    if (read instanceof Fault) throw new Error(read.message);
    for (const to of destinations) {
      const destination = readDestination(to, read.captures, dialect);
      expect(destination, to).toBeInstanceOf(Fault);
      expect((destination as Fault).message, to).toContain(message);
    }
  });
});
