import { type ServerResponse, STATUS_CODES } from 'node:http';
import { requestIdOf } from './request-id.ts';

/** The index of the value of `X-Request-Id`, which is the first field. */
const REQUEST_ID_AT = 1;

/** The head of a response that is sent to many clients. Only the request id differs, and what node:http adds to each head. */
export class ResponseHead {
  readonly status: number;
  /** Alternating names and values. Each response writes its request id over the first value. */
  readonly #fields: string[];
  #text: string | null = null;

  /** @param fields Alternating names and values, without `X-Request-Id`. */
  constructor(status: number, fields: readonly string[]) {
    this.status = status;
    this.#fields = ['X-Request-Id', '', ...fields];
  }

  /** The status line and the fields without `X-Request-Id`. Each line ends in CRLF. */
  get text(): string {
    return (this.#text ??= this.#render());
  }

  /** Writes the head by node:http, which reads the shared fields before it returns. */
  write(res: ServerResponse): ServerResponse {
    this.#fields[REQUEST_ID_AT] = requestIdOf(res);
    return res.writeHead(this.status, this.#fields);
  }

  /**
   * Returns a head with other fields.
   *
   * @param change Gets names in lower case, and returns the new value, or `null` to remove the field.
   * @param added Alternating names and values.
   */
  with(
    status: number,
    change: (name: string, value: string) => string | null,
    added: readonly string[] = [],
  ): ResponseHead {
    const fields: string[] = [];
    for (let i = REQUEST_ID_AT + 1; i < this.#fields.length; i += 2) {
      const name = this.#fields[i]!;
      const value = change(name.toLowerCase(), this.#fields[i + 1]!);
      if (value !== null) fields.push(name, value);
    }
    return new ResponseHead(status, [...fields, ...added]);
  }

  #render(): string {
    const lines = [`HTTP/1.1 ${this.status} ${STATUS_CODES[this.status]}`];
    for (let i = REQUEST_ID_AT + 1; i < this.#fields.length; i += 2)
      lines.push(`${this.#fields[i]}: ${this.#fields[i + 1]}`);
    return `${lines.join('\r\n')}\r\n`;
  }
}
