/** A company that hosts DNS zones, and how people add records there. */
export interface DnsProvider {
  name: string;
  /** Domains of its name servers; `*` matches one run of letters, digits and hyphens. */
  servers: readonly string[];
  /** How to get to the list of records from the provider's front page. */
  open: string;
  /**
   * What its form expects as the name of a record: the full name, or the name relative to the domain. In a form with
   * relative names, the domain itself is entered as `@` or as an empty field.
   */
  recordName: keyof typeof TABLES;
  /** An additional hint for this provider. */
  note: string | undefined;
}

const DOT = 'End the target of a CNAME record with a dot; otherwise the form appends the domain.';
const QUOTES = 'Put the value of a TXT record in double quotation marks.';

/** For each form: the name, the name servers, the way to the list of records, and possibly a note. */
const TABLES = {
  '@': `
Cloudflare | ns.cloudflare.com | the domain, then "DNS" and "Records" | Set the proxy status of each record to "DNS only" (the grey cloud), or Berth cannot see the record.
Google Cloud DNS or Squarespace | ns-cloud-*.googledomains.com | "Network services", "Cloud DNS" and the zone; a domain that came from Google Domains has its records at Squarespace, under "Domains", the domain and "DNS" | In Google Cloud, leave the field empty instead of entering @.
Squarespace | squarespacedns.com googledomains.com | "Domains", the domain, then "DNS" and "Custom records"
GoDaddy | domaincontrol.com | "My products", the domain, then "DNS" and "Add new record"
Namecheap | registrar-servers.com namecheaphosting.com | "Domain list", "Manage" beside the domain, then "Advanced DNS" and "Add new record"
DigitalOcean | digitalocean.com | "Networking", "Domains" and the domain | ${DOT}
Hetzner | ns.hetzner.com ns.hetzner.de first-ns.de second-ns.de second-ns.com | the DNS console, the zone, then "Records" | ${DOT}
Gandi | gandi.net | "Domain", the domain, then "DNS records" and "Add" | ${DOT}
NS1 or Netlify | nsone.net | the zone at NS1, or "Domains" and the domain at Netlify
Azure DNS | azure-dns.com azure-dns.net azure-dns.org azure-dns.info | "DNS zones", the domain, then "Recordsets" and "Add"
Hover | hover.com | the domain, then "DNS" and "Add a record"
IONOS | ui-dns.com ui-dns.de ui-dns.org ui-dns.biz | "Domains & SSL", the domain, then "DNS" and "Add record"
name.com | name.com | "My domains", the domain, then "Manage DNS records"
Bluehost | bluehost.com | "Domains", the domain, then "DNS" and "Manage advanced DNS records"
Hostinger | dns-parking.com hostinger.com | "Domains", the domain, then "DNS / Nameservers"
Alibaba Cloud DNS | hichina.com alidns.com | "Alibaba Cloud DNS", the domain, then "DNS settings" and "Add record"
DNSPod (Tencent Cloud) | dnspod.net dnspod.com dnsv1.com dnsv2.com dnsv3.com dnsv4.com dnsv5.com | "DNS", the domain, then "Add record"
Yandex | yandex.net yandex.ru yandexcloud.net | the domain in Yandex 360 or the zone in Yandex Cloud, then "DNS records"
Njalla | njalla.no njalla.in njalla.fo | the domain, then "Manage" and "Add record"
TransIP | transip.nl transip.net transip.eu | "Domain", the domain, then "DNS" | ${DOT}
netcup | netcup.net | CCP, "Domains", the magnifying glass beside the domain, then "DNS"
Loopia | loopia.se loopia.com | "Domain names", the domain, then "DNS editor"
Simply.com | simply.com unoeuro.com | the domain, then "DNS settings"
Network Solutions | worldnic.com register.com | "Domains", the domain, then "Advanced tools" and "Advanced DNS records"
Enom | name-services.com | "Domains", the domain, then "Host records"
Spaceship | spaceship.net spaceship.com | "Advanced DNS" and the domain
easyDNS | easydns.com easydns.net easydns.org easydns.info | "Domains", "DNS" beside the domain
Zoneedit | zoneedit.com | "Domains", the domain, then "DNS records"
`,
  empty: `
Amazon Route 53 | awsdns-*.com awsdns-*.net awsdns-*.org awsdns-*.co.uk | "Hosted zones", the domain, then "Create record" | ${QUOTES}
OVHcloud | ovh.net ovh.ca anycast.me | "Web Cloud", "Domain names", the domain, then "DNS zone" and "Add an entry" | ${DOT}
DNSimple | dnsimple.com dnsimple-edge.net dnsimple-edge.org | the domain, then "DNS" and "Add record"
DNS Made Easy | dnsmadeeasy.com | "DNS", "Managed DNS" and the domain | ${DOT}
Linode | linode.com | "Domains" and the domain
Vultr | vultr.com | "Products", "Network", "DNS" and the domain
Porkbun | porkbun.com | "Domain management", the domain, then "DNS records"
Strato | rzone.de strato.de | "Domains", "Domain administration", the domain, then "DNS"
Vercel | vercel-dns.com | "Domains", the domain, then "DNS records"
deSEC | desec.io desec.org | "Domain management" and the domain, then the plus sign | ${DOT} ${QUOTES}
Infomaniak | infomaniak.ch infomaniak.com | "Domains", the domain, then "DNS zone" and "Add a record"
INWX | inwx.de inwx.com inwx.eu inwx.net | "Nameservers", "DNS" and the domain
Wix | wixdns.net | "Domains", the three dots beside the domain, then "Manage DNS records"
DreamHost | dreamhost.com | "Websites", "Manage websites", "DNS settings" of the domain, then "Add record"
SiteGround | siteground.net sgvps.net | "Site tools", "Domain" and "DNS zone editor"
Dynadot | dyna-ns.net dynadot.com | "My domains", the domain, then "DNS settings" | Records of the domain itself and records of names below it are in two separate lists of the form.
ClouDNS | cloudns.net cloudns.com cloudns.uk cloudns.org | "DNS hosting", the zone, then "Add new record"
Scaleway | scw.cloud | "Domains and DNS", the domain, then "DNS zones" and "Records" | ${DOT}
one.com | one.com one-dns.net | "Domains", the domain, then "DNS settings" and "DNS records"
ALL-INKL | kasserver.com | KAS, "Tools" and "DNS settings" of the domain
Aruba | technorail.com arubadns.net arubadns.cz | "Domains", the domain, then "DNS and name servers"
NameSilo | dnsowl.com namesilo.com | "Domain manager" and the blue globe beside the domain
Bunny DNS | bunny.net | "DNS", the zone, then "Add record"
Rackspace | stabletransit.com rackspace.com | "Networking", "Cloud DNS" and the domain
Constellix | constellix.com constellix.net | "Managed DNS" and the domain
FreeDNS | afraid.org | "Subdomains", then "Add a subdomain" | ${QUOTES}
WordPress.com | wordpress.com | "Upgrades", "Domains", the domain, then "DNS records"
Openprovider | openprovider.nl openprovider.be openprovider.eu | "Domains", the domain, then "DNS zone"
Fastmail | messagingengine.com | "Settings", "Domains", the domain, then "DNS records"
`,
  full: `
HostGator | hostgator.com websitewelcome.com | "Domains", "Zone editor", then "Manage" beside the domain
Akamai Edge DNS | akam.net akamaiedge.net akamaistream.net | "Edge DNS" and the zone, then "Add record"
UltraDNS | ultradns.com ultradns.net ultradns.org ultradns.biz ultradns.info ultradns.co.uk | "Domains", the zone, then "Records"
Hurricane Electric | he.net | the zone under "Active domains", then "New" and the type of the record
Oracle Cloud DNS | dns.oraclecloud.net dynect.net | "Networking", "DNS management", the zone, then "Records"
`,
};

/** The known DNS providers, recognised by their name servers. The first match counts. */
export const PROVIDER_TABLE: readonly DnsProvider[] = Object.entries(TABLES).flatMap(([recordName, table]) =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', servers = '', open = '', note] = line.split(' | ');
      return { name, servers: servers.split(' '), open, recordName: recordName as keyof typeof TABLES, note };
    }),
);
