import { describe, expect, it } from 'vitest';
import { PROVIDER_TABLE } from '../../src/dns/provider-table.ts';
import { findProviderByNameServers, listSetupSteps } from '../../src/dns/providers.ts';

describe('api §4: findProviderByNameServers', () => {
  it('finds every provider by each of its name servers', () => {
    for (const { name, servers } of PROVIDER_TABLE)
      for (const server of servers) {
        const host = `ns1.${server.replaceAll('*', 'x-2')}`;
        expect(findProviderByNameServers([host])?.name, host).toBe(name);
      }
  });

  it.each([
    ['Cloudflare', 'amy.ns.cloudflare.com'],
    ['Amazon Route 53', 'ns-1536.awsdns-00.co.uk'],
    ['Google Cloud DNS or Squarespace', 'ns-cloud-a1.googledomains.com'],
    ['Hetzner', 'robotns3.second-ns.com'],
    ['OVHcloud', 'dns104.ovh.net'],
    ['NS1 or Netlify', 'dns1.p01.nsone.net'],
    ['Strato', 'docks11.rzone.de'],
    ['Hurricane Electric', 'ns5.he.net'],
  ])('finds %s by the name server %s', (name, server) => {
    expect(findProviderByNameServers([server])?.name).toBe(name);
    expect(findProviderByNameServers([`${server.toUpperCase()}.`])?.name).toBe(name);
  });

  it.each(['ns1.notcloudflare.com', 'cloudflare.com.evil.test', 'the.net', 'ns1.awsdns.com', 'awsdns-1.evil.test', ''])(
    'returns null for the name server %j',
    (server) => expect(findProviderByNameServers([server])).toBeNull(),
  );

  it('returns the provider that runs most of the name servers', () => {
    const servers = ['ns1.hover.com', 'ns1.linode.com', 'ns2.linode.com', 'ns1.example.net'];
    expect(findProviderByNameServers(servers)?.name).toBe('Linode');
  });
});

describe('listSetupSteps', () => {
  it('returns steps for at least 50 providers, each with its own name', () => {
    expect(new Set(PROVIDER_TABLE.map(({ name }) => name)).size).toBe(PROVIDER_TABLE.length);
    expect(PROVIDER_TABLE.length).toBeGreaterThanOrEqual(50);
    for (const { name, open } of PROVIDER_TABLE) {
      const steps = listSetupSteps(name);
      expect(steps[0]).toBe(`Sign in at ${name} and open ${open}.`);
      expect(steps.length).toBeGreaterThanOrEqual(4);
    }
  });

  it.each([
    ['Cloudflare', /short name; for the domain itself, write @\./],
    ['Cloudflare', /grey cloud/],
    ['DNSimple', /short name; for the domain itself, leave the field empty\./],
    ['Hurricane Electric', /expects the full name/],
    ['deSEC', /End the target of a CNAME record with a dot/],
    [null, /Most forms expect the short name/],
    ['Unknown provider', /Most forms expect the short name/],
  ])('returns steps for %s that match %s', (provider, text) => {
    expect(listSetupSteps(provider).join('\n')).toMatch(text);
  });
});
