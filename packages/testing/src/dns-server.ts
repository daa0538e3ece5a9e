import type { AddressInfo } from 'node:net';
import dns2, { type DnsHandler, Packet } from 'dns2';

/** The DNS records of one name, by type. */
export interface Records {
  A?: readonly string[];
  AAAA?: readonly string[];
  CNAME?: string;
  NS?: readonly string[];
  TXT?: readonly string[];
}

/** A fault that the server shows for a name instead of records. */
export type Fault = 'SERVFAIL' | 'REFUSED' | 'silence' | 'wrong id';

/** An authoritative DNS server on loopback, over UDP and TCP. */
export interface DnsServer {
  /** `127.0.0.1:port`, as `DNS_SERVERS` expects it. */
  address: string;
  /** The records of each name, in lower case. Other names do not exist. Tests change this map at any time. */
  zone: Map<string, Records | Fault>;
  /** The received questions in order, each as `type name`. A question that is sent twice is listed twice. */
  asked: string[];
  close(): Promise<void>;
}

/** Encodes a value as the data of a record, by the type of the record. */
const RECORD_DATA: Record<keyof Records, (value: string) => object> = {
  A: (address) => ({ address }),
  AAAA: (address) => ({ address }),
  CNAME: (domain) => ({ domain }),
  NS: (ns) => ({ ns }),
  TXT: (text) => ({ data: text.match(/[^]{1,255}/g) ?? [''] }),
};
const RECORD_TYPES = Object.keys(RECORD_DATA) as (keyof Records)[];
const TYPE_NAMES = new Map<number, keyof Records>(RECORD_TYPES.map((name) => [Packet.TYPE[name], name]));
const TTL_SECONDS = 60;

export async function startDnsServer(zone: Record<string, Records | Fault> = {}): Promise<DnsServer> {
  const names = new Map(Object.entries(zone));
  const askedNames: string[] = [];
  const handleQuestion: DnsHandler = (request, send) => {
    const { name, type } = request.questions[0]!;
    askedNames.push(`${TYPE_NAMES.get(type)} ${name}`);
    const response = responseTo(request, names.get(name.toLowerCase()));
    if (response) void send(response);
  };
  for (;;) {
    const udp = dns2.createUDPServer(handleQuestion);
    const tcp = dns2.createTCPServer(handleQuestion);
    await udp.listen(0, '127.0.0.1');
    const { port } = udp.address() as AddressInfo;
    const closeServer = async () => {
      await Promise.all([
        new Promise<void>((done) => void udp.close(() => done())),
        new Promise<void>((done) => void tcp.close(() => done())),
      ]);
    };
    // Another program may use this port for TCP, so a new port is tried.
    const listening = await new Promise<boolean>((done) => {
      tcp.once('error', () => done(false));
      tcp.listen(port, '127.0.0.1', () => done(true));
    });
    if (listening) return { address: `127.0.0.1:${port}`, zone: names, asked: askedNames, close: closeServer };
    await closeServer();
  }
}

function responseTo(request: Packet, entry: Records | Fault | undefined): Packet | null {
  const response = Packet.createResponseFromRequest(request);
  const { name, type } = request.questions[0]!;
  if (entry === 'silence') return null;
  if (entry === 'SERVFAIL' || entry === 'REFUSED') response.header.rcode = Packet.RCODE[entry];
  else if (entry === 'wrong id') {
    response.header.id = (response.header.id + 1) % 65_536;
    response.answers = recordsOf(name, 'TXT', { TXT: ['forged'] });
  } else if (entry === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN;
  else response.answers = recordsOf(name, TYPE_NAMES.get(type), entry);
  return response;
}

function recordsOf(name: string, type: keyof Records | undefined, records: Records): Packet['answers'] {
  if (type === undefined) return [];
  const record = { name, type: Packet.TYPE[type], class: Packet.CLASS.IN, ttl: TTL_SECONDS };
  const values = [records[type] ?? []].flat();
  return values.map((value) => ({ ...record, ...RECORD_DATA[type](value) }) as Packet['answers'][number]);
}
