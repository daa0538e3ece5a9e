import { Fault, quote } from './fault.ts';
import { isReservedHeader } from './reserved-headers.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Why rules cannot set or remove a header of this name; `null` if they can. Source: serving S34, S35. */
export function nameFault(name: string): Fault | null {
  if (name === '') return new Fault('the header name is missing; write Name: value');
  if (!TOKEN.test(name)) return new Fault('a header name must consist of letters, digits and -, as in X-Frame-Options');
  if (isReservedHeader(name)) return new Fault(`${quote(name)} is reserved for the service`);
  return null;
}

/** Why a text cannot be the value of a header; `null` if it can. Source: serving S34. */
export function valueFault(value: string): Fault | null {
  if (value === '') return new Fault('the value is missing; write Name: value, or ! Name to remove a header');
  if (!PRINTABLE.test(value))
    return new Fault('a header value must be printable ASCII: letters, digits, punctuation and spaces');
  return null;
}
