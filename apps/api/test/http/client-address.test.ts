import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, createAddressReader, parseTrustedProxies } from '../../src/http/client-address.ts';

function requestFrom(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
}

describe('T12: the address of a client', () => {
  const proxies = ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8:ffff::/48'];
  const cases: [trusted: string[], socket: string | undefined, forwarded: string | undefined, expected: string][] = [
    [[], '203.0.113.7', undefined, '203.0.113.7'],
    [[], '203.0.113.7', '9.9.9.9', '203.0.113.7'],
    [[], '127.0.0.1', '9.9.9.9', '127.0.0.1'],
    [[], '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    [[], '::ffff:203.0.113.8', undefined, '203.0.113.8'],
    [[], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    [[], '2001:db8:1:2:ffff::1', undefined, '2001:db8:1:2::/64'],
    [[], '2001:db8:1:3::1', undefined, '2001:db8:1:3::/64'],
    [[], 'fe80::1%eth0', undefined, 'fe80::/64'],
    [[], undefined, '9.9.9.9', ''],
    [proxies, '203.0.113.7', '9.9.9.9', '203.0.113.7'],
    [proxies, '10.1.2.3', undefined, '10.1.2.3'],
    [proxies, '10.1.2.3', '', '10.1.2.3'],
    [proxies, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [proxies, '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [proxies, '::1', '::ffff:198.51.100.1', '198.51.100.1'],
    [proxies, '2001:db8:ffff::5', '2001:db8:7:7::9', '2001:db8:7:7::/64'],
    [proxies, '10.1.2.3', '9.9.9.9, 198.51.100.1', '198.51.100.1'],
    [proxies, '10.1.2.3', '9.9.9.9,198.51.100.1 , 10.9.9.9', '198.51.100.1'],
    [proxies, '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    [proxies, '10.1.2.3', '198.51.100.1, nonsense', '10.1.2.3'],
    [proxies, '10.1.2.3', 'nonsense, 10.0.0.2', '10.0.0.2'],
    [proxies, '10.1.2.3', '198.51.100.1, ', '10.1.2.3'],
    [proxies, '10.1.2.3', '0x7f.1', '10.1.2.3'],
    [proxies, '10.1.2.3', '198.51.100', '10.1.2.3'],
    [proxies, '10.1.2.3', '198.51.100.1:4711', '10.1.2.3'],
    [proxies, '10.1.2.3', 'unknown', '10.1.2.3'],
  ];
  it.each(cases)('behind %j, from %s with X-Forwarded-For %j, is %s', (trusted, socket, forwarded, expected) => {
    expect(clientAddress(requestFrom(socket, forwarded), parseTrustedProxies(trusted))).toBe(expected);
  });

  it('is the same when addresses are kept for later requests', () => {
    const readers = new Map([
      [proxies, createAddressReader(parseTrustedProxies(proxies))],
      [[], createAddressReader([])],
    ]);
    const readAddress = (trusted: string[]) => readers.get(trusted) ?? readers.values().toArray()[1]!;
    for (const [trusted, socket, forwarded, expected] of [...cases, ...cases])
      expect(readAddress(trusted)(requestFrom(socket, forwarded)), `${socket} ${forwarded}`).toBe(expected);
  });

  it('is kept with the connection, but not for requests with different forwarding headers', () => {
    const readAddress = createAddressReader(parseTrustedProxies(proxies));
    const { socket } = requestFrom('10.1.2.3');
    const addressFor = (forwarded?: string) =>
      readAddress({ ...requestFrom('', forwarded), socket } as IncomingMessage);
    expect(addressFor()).toBe('10.1.2.3');
    expect(addressFor('198.51.100.1')).toBe('198.51.100.1');
    expect(addressFor('198.51.100.2')).toBe('198.51.100.2');
    expect(addressFor(`198.51.100.3, ${' '.repeat(100)}10.0.0.1`)).toBe('198.51.100.3');
    Object.assign(socket, { remoteAddress: undefined });
    expect(addressFor()).toBe('10.1.2.3');
  });
});
