import type { Transporter } from 'nodemailer';

/** A message of plain text. */
export interface Mail {
  /** One e-mail address. */
  to: string;
  subject: string;
  text: string;
}

/** Sends e-mail. */
export interface Mailer {
  /** Hands a message to the mail server. @throws Error if the server cannot be reached or does not take it. */
  send(mail: Mail): Promise<void>;
  /** Closes the connections. Safe to call again. */
  close(): void;
}

const TIMEOUT_MS = 15_000;
/** Addresses that every part of the way reads as one mailbox: no quotes, lists, comments or groups. */
const PLAIN_ADDRESS = /^[^\s@"<>(),:;\\[\]\p{Cc}]+@[^\s@"<>(),:;\\[\]\p{Cc}]+$/u;

/** Whether messages can be sent to an address. */
export function isMailAddress(address: string): boolean {
  return PLAIN_ADDRESS.test(address);
}

/**
 * Creates a mailer. The library is loaded for the first message.
 *
 * @param url The mail server, such as `smtps://user:password@mail.example.com`.
 * @param from The sender, such as `Berth <berth@example.com>`. Source: api §10.
 */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  let opened: Promise<Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as object) as Transporter;
  };
  return {
    async send({ to, ...mail }) {
      if (!isMailAddress(to)) throw new Error('The address is not a plain e-mail address.');
      const transporter = await (opened ??= open());
      await transporter.sendMail({ from, to: { name: '', address: to }, ...mail });
    },
    close: () => void opened?.then((transporter) => transporter.close()),
  };
}
