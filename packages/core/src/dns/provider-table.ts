/** A company that hosts DNS zones, and how to add records there. */
export interface DnsProvider {
  /** The name that its customers know. */
  name: string;
  /** Domains of its name servers; `*` matches one run of letters, digits and hyphens. */
  servers: readonly string[];
  /** How to get to the list of records from the provider's front page. */
  open: string;
  /** Whether the form expects the name relative to the domain, or the full name. */
  entry: 'relative' | 'whole';
  /** What to enter for the domain itself in a form with relative names; empty: leave the field empty. */
  apex: '@' | '';
  /** An additional hint for this provider. */
  note?: string;
}

const DOT = 'End the target of a CNAME record with a dot; otherwise the form appends the domain.';
const QUOTES = 'Put the value of a TXT record in double quotation marks.';

type Provider = Omit<DnsProvider, 'entry' | 'apex'>;
const providers = (form: Pick<DnsProvider, 'entry' | 'apex'>, list: readonly Provider[]): DnsProvider[] =>
  list.map((provider) => ({ ...provider, ...form }));

/** The known DNS providers, recognised by their name servers. The first match counts. */
export const PROVIDER_TABLE: readonly DnsProvider[] = [
  ...providers({ entry: 'relative', apex: '@' }, [
    {
      name: 'Cloudflare',
      servers: ['ns.cloudflare.com'],
      open: 'the domain, then "DNS" and "Records"',
      note: 'Set the proxy status of each record to "DNS only" (the grey cloud), or Berth cannot see the record.',
    },
    {
      name: 'Google Cloud DNS or Squarespace',
      servers: ['ns-cloud-*.googledomains.com'],
      open: '"Network services", "Cloud DNS" and the zone; a domain that came from Google Domains has its records at Squarespace, under "Domains", the domain and "DNS"',
      note: 'In Google Cloud, leave the field empty instead of entering @.',
    },
    {
      name: 'Squarespace',
      servers: ['squarespacedns.com', 'googledomains.com'],
      open: '"Domains", the domain, then "DNS" and "Custom records"',
    },
    {
      name: 'GoDaddy',
      servers: ['domaincontrol.com'],
      open: '"My products", the domain, then "DNS" and "Add new record"',
    },
    {
      name: 'Namecheap',
      servers: ['registrar-servers.com', 'namecheaphosting.com'],
      open: '"Domain list", "Manage" beside the domain, then "Advanced DNS" and "Add new record"',
    },
    {
      name: 'DigitalOcean',
      servers: ['digitalocean.com'],
      open: '"Networking", "Domains" and the domain',
      note: DOT,
    },
    {
      name: 'Hetzner',
      servers: ['ns.hetzner.com', 'ns.hetzner.de', 'first-ns.de', 'second-ns.de', 'second-ns.com'],
      open: 'the DNS console, the zone, then "Records"',
      note: DOT,
    },
    {
      name: 'Gandi',
      servers: ['gandi.net'],
      open: '"Domain", the domain, then "DNS records" and "Add"',
      note: DOT,
    },
    {
      name: 'NS1 or Netlify',
      servers: ['nsone.net'],
      open: 'the zone at NS1, or "Domains" and the domain at Netlify',
    },
    {
      name: 'Azure DNS',
      servers: ['azure-dns.com', 'azure-dns.net', 'azure-dns.org', 'azure-dns.info'],
      open: '"DNS zones", the domain, then "Recordsets" and "Add"',
    },
    {
      name: 'Hover',
      servers: ['hover.com'],
      open: 'the domain, then "DNS" and "Add a record"',
    },
    {
      name: 'IONOS',
      servers: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
      open: '"Domains & SSL", the domain, then "DNS" and "Add record"',
    },
    {
      name: 'name.com',
      servers: ['name.com'],
      open: '"My domains", the domain, then "Manage DNS records"',
    },
    {
      name: 'Bluehost',
      servers: ['bluehost.com'],
      open: '"Domains", the domain, then "DNS" and "Manage advanced DNS records"',
    },
    {
      name: 'Hostinger',
      servers: ['dns-parking.com', 'hostinger.com'],
      open: '"Domains", the domain, then "DNS / Nameservers"',
    },
    {
      name: 'Alibaba Cloud DNS',
      servers: ['hichina.com', 'alidns.com'],
      open: '"Alibaba Cloud DNS", the domain, then "DNS settings" and "Add record"',
    },
    {
      name: 'DNSPod (Tencent Cloud)',
      servers: ['dnspod.net', 'dnspod.com', 'dnsv1.com', 'dnsv2.com', 'dnsv3.com', 'dnsv4.com', 'dnsv5.com'],
      open: '"DNS", the domain, then "Add record"',
    },
    {
      name: 'Yandex',
      servers: ['yandex.net', 'yandex.ru', 'yandexcloud.net'],
      open: 'the domain in Yandex 360 or the zone in Yandex Cloud, then "DNS records"',
    },
    {
      name: 'Njalla',
      servers: ['njalla.no', 'njalla.in', 'njalla.fo'],
      open: 'the domain, then "Manage" and "Add record"',
    },
    {
      name: 'TransIP',
      servers: ['transip.nl', 'transip.net', 'transip.eu'],
      open: '"Domain", the domain, then "DNS"',
      note: DOT,
    },
    {
      name: 'netcup',
      servers: ['netcup.net'],
      open: 'CCP, "Domains", the magnifying glass beside the domain, then "DNS"',
    },
    {
      name: 'Loopia',
      servers: ['loopia.se', 'loopia.com'],
      open: '"Domain names", the domain, then "DNS editor"',
    },
    {
      name: 'Simply.com',
      servers: ['simply.com', 'unoeuro.com'],
      open: 'the domain, then "DNS settings"',
    },
    {
      name: 'Network Solutions',
      servers: ['worldnic.com', 'register.com'],
      open: '"Domains", the domain, then "Advanced tools" and "Advanced DNS records"',
    },
    {
      name: 'Enom',
      servers: ['name-services.com'],
      open: '"Domains", the domain, then "Host records"',
    },
    {
      name: 'Spaceship',
      servers: ['spaceship.net', 'spaceship.com'],
      open: '"Advanced DNS" and the domain',
    },
    {
      name: 'easyDNS',
      servers: ['easydns.com', 'easydns.net', 'easydns.org', 'easydns.info'],
      open: '"Domains", "DNS" beside the domain',
    },
    {
      name: 'Zoneedit',
      servers: ['zoneedit.com'],
      open: '"Domains", the domain, then "DNS records"',
    },
  ]),
  ...providers({ entry: 'relative', apex: '' }, [
    {
      name: 'Amazon Route 53',
      servers: ['awsdns-*.com', 'awsdns-*.net', 'awsdns-*.org', 'awsdns-*.co.uk'],
      open: '"Hosted zones", the domain, then "Create record"',
      note: QUOTES,
    },
    {
      name: 'OVHcloud',
      servers: ['ovh.net', 'ovh.ca', 'anycast.me'],
      open: '"Web Cloud", "Domain names", the domain, then "DNS zone" and "Add an entry"',
      note: DOT,
    },
    {
      name: 'DNSimple',
      servers: ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org'],
      open: 'the domain, then "DNS" and "Add record"',
    },
    {
      name: 'DNS Made Easy',
      servers: ['dnsmadeeasy.com'],
      open: '"DNS", "Managed DNS" and the domain',
      note: DOT,
    },
    {
      name: 'Linode',
      servers: ['linode.com'],
      open: '"Domains" and the domain',
    },
    {
      name: 'Vultr',
      servers: ['vultr.com'],
      open: '"Products", "Network", "DNS" and the domain',
    },
    {
      name: 'Porkbun',
      servers: ['porkbun.com'],
      open: '"Domain management", the domain, then "DNS records"',
    },
    {
      name: 'Strato',
      servers: ['rzone.de', 'strato.de'],
      open: '"Domains", "Domain administration", the domain, then "DNS"',
    },
    {
      name: 'Vercel',
      servers: ['vercel-dns.com'],
      open: '"Domains", the domain, then "DNS records"',
    },
    {
      name: 'deSEC',
      servers: ['desec.io', 'desec.org'],
      open: '"Domain management" and the domain, then the plus sign',
      note: `${DOT} ${QUOTES}`,
    },
    {
      name: 'Infomaniak',
      servers: ['infomaniak.ch', 'infomaniak.com'],
      open: '"Domains", the domain, then "DNS zone" and "Add a record"',
    },
    {
      name: 'INWX',
      servers: ['inwx.de', 'inwx.com', 'inwx.eu', 'inwx.net'],
      open: '"Nameservers", "DNS" and the domain',
    },
    {
      name: 'Wix',
      servers: ['wixdns.net'],
      open: '"Domains", the three dots beside the domain, then "Manage DNS records"',
    },
    {
      name: 'DreamHost',
      servers: ['dreamhost.com'],
      open: '"Websites", "Manage websites", "DNS settings" of the domain, then "Add record"',
    },
    {
      name: 'SiteGround',
      servers: ['siteground.net', 'sgvps.net'],
      open: '"Site tools", "Domain" and "DNS zone editor"',
    },
    {
      name: 'Dynadot',
      servers: ['dyna-ns.net', 'dynadot.com'],
      open: '"My domains", the domain, then "DNS settings"',
      note: 'Records of the domain itself and records of names below it are in two separate lists of the form.',
    },
    {
      name: 'ClouDNS',
      servers: ['cloudns.net', 'cloudns.com', 'cloudns.uk', 'cloudns.org'],
      open: '"DNS hosting", the zone, then "Add new record"',
    },
    {
      name: 'Scaleway',
      servers: ['scw.cloud'],
      open: '"Domains and DNS", the domain, then "DNS zones" and "Records"',
      note: DOT,
    },
    {
      name: 'one.com',
      servers: ['one.com', 'one-dns.net'],
      open: '"Domains", the domain, then "DNS settings" and "DNS records"',
    },
    {
      name: 'ALL-INKL',
      servers: ['kasserver.com'],
      open: 'KAS, "Tools" and "DNS settings" of the domain',
    },
    {
      name: 'Aruba',
      servers: ['technorail.com', 'arubadns.net', 'arubadns.cz'],
      open: '"Domains", the domain, then "DNS and name servers"',
    },
    {
      name: 'NameSilo',
      servers: ['dnsowl.com', 'namesilo.com'],
      open: '"Domain manager" and the blue globe beside the domain',
    },
    {
      name: 'Bunny DNS',
      servers: ['bunny.net'],
      open: '"DNS", the zone, then "Add record"',
    },
    {
      name: 'Rackspace',
      servers: ['stabletransit.com', 'rackspace.com'],
      open: '"Networking", "Cloud DNS" and the domain',
    },
    {
      name: 'Constellix',
      servers: ['constellix.com', 'constellix.net'],
      open: '"Managed DNS" and the domain',
    },
    {
      name: 'FreeDNS',
      servers: ['afraid.org'],
      open: '"Subdomains", then "Add a subdomain"',
      note: QUOTES,
    },
    {
      name: 'WordPress.com',
      servers: ['wordpress.com'],
      open: '"Upgrades", "Domains", the domain, then "DNS records"',
    },
    {
      name: 'Openprovider',
      servers: ['openprovider.nl', 'openprovider.be', 'openprovider.eu'],
      open: '"Domains", the domain, then "DNS zone"',
    },
    {
      name: 'Fastmail',
      servers: ['messagingengine.com'],
      open: '"Settings", "Domains", the domain, then "DNS records"',
    },
  ]),
  ...providers({ entry: 'whole', apex: '' }, [
    {
      name: 'HostGator',
      servers: ['hostgator.com', 'websitewelcome.com'],
      open: '"Domains", "Zone editor", then "Manage" beside the domain',
    },
    {
      name: 'Akamai Edge DNS',
      servers: ['akam.net', 'akamaiedge.net', 'akamaistream.net'],
      open: '"Edge DNS" and the zone, then "Add record"',
    },
    {
      name: 'UltraDNS',
      servers: ['ultradns.com', 'ultradns.net', 'ultradns.org', 'ultradns.biz', 'ultradns.info', 'ultradns.co.uk'],
      open: '"Domains", the zone, then "Records"',
    },
    {
      name: 'Hurricane Electric',
      servers: ['he.net'],
      open: 'the zone under "Active domains", then "New" and the type of the record',
    },
    {
      name: 'Oracle Cloud DNS',
      servers: ['dns.oraclecloud.net', 'dynect.net'],
      open: '"Networking", "DNS management", the zone, then "Records"',
    },
  ]),
];
