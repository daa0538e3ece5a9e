import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An e-mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  from: string;
  subject: string;
  text: string;
}

/** A mail server on a free port, which keeps what it receives. */
export interface TestMailServer {
  url: string;
  received: ReceivedMail[];
  /** Resolves with the next e-mail that arrives. */
  next(): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** Starts a mail server without TLS and without sign-in. */
export async function startMailServer(): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  let notify: (mail: ReceivedMail) => void = () => {};
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const { from, subject = '', text = '' } = await PostalMime.parse(Buffer.concat(chunks));
        const mail = {
          to: session.envelope.rcptTo.map(({ address }) => address),
          from: from?.address ?? '',
          subject,
          text,
        };
        received.push(mail);
        callback();
        notify(mail);
      })();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    next: () => new Promise((resolve) => (notify = resolve)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the code in an e-mail. */
export function codeIn({ text }: ReceivedMail): string {
  return /\b\d{6}\b/.exec(text)![0];
}
