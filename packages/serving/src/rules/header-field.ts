import { Fault, quote } from './fault.ts';
import { isReservedHeader } from './reserved-headers.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** What a site may not do with a header of this name. `null`: it may set and remove it. Source: serving S34, S35. */
export function nameFault(name: string): Fault | null {
  if (name === '') return new Fault('there is no header name: write Name: value');
  if (!TOKEN.test(name)) return new Fault('a header name has only letters, digits and -, such as X-Frame-Options');
  if (isReservedHeader(name)) return new Fault(`${quote(name)} is reserved for the service`);
  return null;
}

/** Why a text cannot be the value of a header. `null`: it can. Source: serving S34. */
export function valueFault(value: string): Fault | null {
  if (value === '') return new Fault('there is no value: write Name: value, or ! Name to remove a header');
  if (!PRINTABLE.test(value)) return new Fault('a header value is printable ASCII: letters, digits, signs and spaces');
  return null;
}
