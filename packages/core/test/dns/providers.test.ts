import { describe, expect, it } from 'vitest';
import { PROVIDER_TABLE } from '../../src/dns/provider-table.ts';
import { findProviderByNameServers, listSetupSteps } from '../../src/dns/providers.ts';

describe('api §4: findProviderOf', () => {
  it.each([
    ['Cloudflare', 'amy.ns.cloudflare.com'],
    ['Amazon Route 53', 'ns-2048.awsdns-64.com'],
    ['Amazon Route 53', 'ns-1536.awsdns-00.co.uk'],
    ['Google Cloud DNS or Squarespace', 'ns-cloud-a1.googledomains.com'],
    ['Squarespace', 'ns01.squarespacedns.com'],
    ['GoDaddy', 'ns37.domaincontrol.com'],
    ['Namecheap', 'dns1.registrar-servers.com'],
    ['DigitalOcean', 'ns1.digitalocean.com'],
    ['Hetzner', 'hydrogen.ns.hetzner.com'],
    ['Hetzner', 'robotns3.second-ns.com'],
    ['OVHcloud', 'dns104.ovh.net'],
    ['Gandi', 'ns-12-a.gandi.net'],
    ['DNSimple', 'ns1.dnsimple.com'],
    ['DNS Made Easy', 'ns10.dnsmadeeasy.com'],
    ['NS1 or Netlify', 'dns1.p01.nsone.net'],
    ['Azure DNS', 'ns1-01.azure-dns.com'],
    ['Linode', 'ns1.linode.com'],
    ['Vultr', 'ns1.vultr.com'],
    ['Porkbun', 'curitiba.ns.porkbun.com'],
    ['Hover', 'ns1.hover.com'],
    ['IONOS', 'ns1085.ui-dns.org'],
    ['Strato', 'docks11.rzone.de'],
    ['name.com', 'ns1dvw.name.com'],
    ['Vercel', 'ns1.vercel-dns.com'],
    ['deSEC', 'ns2.desec.org'],
    ['Infomaniak', 'ns11.infomaniak.ch'],
    ['INWX', 'ns.inwx.de'],
    ['Wix', 'ns4.wixdns.net'],
    ['Bluehost', 'ns1.bluehost.com'],
    ['HostGator', 'ns6001.hostgator.com'],
    ['Dynadot', 'ns1.dyna-ns.net'],
    ['Hostinger', 'ns1.dns-parking.com'],
    ['Alibaba Cloud DNS', 'dns9.hichina.com'],
    ['DNSPod (Tencent Cloud)', 'f1g1ns1.dnspod.net'],
    ['Yandex', 'dns1.yandex.net'],
    ['Akamai Edge DNS', 'a1-23.akam.net'],
    ['UltraDNS', 'pdns1.ultradns.net'],
    ['ClouDNS', 'pns31.cloudns.net'],
    ['Njalla', '2-can.njalla.in'],
    ['Hurricane Electric', 'ns5.he.net'],
  ])('finds %s by %s', (name, server) => {
    expect(findProviderByNameServers([server])?.name).toBe(name);
    expect(findProviderByNameServers([`${server.toUpperCase()}.`])?.name).toBe(name);
  });

  it.each(['ns1.notcloudflare.com', 'cloudflare.com.evil.test', 'the.net', 'ns1.awsdns.com', 'awsdns-1.evil.test', ''])(
    'returns null for %j',
    (server) => expect(findProviderByNameServers([server])).toBeNull(),
  );

  it('returns the provider of most of the name servers', () => {
    const servers = ['ns1.hover.com', 'ns1.linode.com', 'ns2.linode.com', 'ns1.example.net'];
    expect(findProviderByNameServers(servers)?.name).toBe('Linode');
  });
});

describe('stepsOf', () => {
  it('gives steps for at least 50 providers with distinct names', () => {
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
  ])('explains the name field for %s: %s', (provider, text) => {
    expect(listSetupSteps(provider).join('\n')).toMatch(text);
  });
});
