import { request as httpRequest } from 'node:http';
import { Writable } from 'node:stream';

interface RequestOptions {
  url: string;
  method: string;
  redirect: string;
}

/** A fake of Electron's request: a stream with the events of Electron, which sends a real request with Node. */
export class FakeClientRequest extends Writable {
  chunkedEncoding = false;
  readonly #options: RequestOptions;
  readonly #headers: Record<string, string> = {};
  #sent: ReturnType<typeof httpRequest> | null = null;
  #aborted = false;

  constructor(options: RequestOptions) {
    super();
    this.#options = options;
    if (options.redirect !== 'manual') throw new Error('Redirects must be handled by the app');
  }

  setHeader = (name: string, value: string) => {
    if (['content-length', 'host', 'transfer-encoding'].includes(name)) throw new Error(`${name} must not be set`);
    this.#headers[name] = value;
  };

  /** Electron follows a redirect only if this is called while the event is emitted. */
  followRedirect = () => void (this.#followed = true);
  #followed = false;

  abort = () => {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#sent?.destroy();
    this.emit('abort');
    this.destroy();
  };

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#request().write(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#request().end(callback);
  }

  #request(): ReturnType<typeof httpRequest> {
    this.#sent ??= this.#send(this.#options.url);
    return this.#sent;
  }

  #send(url: string): ReturnType<typeof httpRequest> {
    const sent = httpRequest(url, { method: this.#options.method, headers: this.#headers });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#aborted) this.emit('error', new Error(`net::ERR_${error.code?.replace('ECONN', 'CONNECTION_')}`));
    });
    sent.on('response', (message) => {
      const { statusCode = 0, headers } = message;
      if (statusCode < 300 || statusCode > 399 || headers.location === undefined)
        return void this.emit('response', message);
      this.#followed = false;
      const target = new URL(headers.location, url).href;
      this.emit('redirect', statusCode, this.#options.method, target, headers);
      if (this.#followed) this.#send(target).end();
      else if (!this.#aborted) this.destroy(new Error('Redirect was cancelled'));
    });
    return sent;
  }
}
