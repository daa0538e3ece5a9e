const CREDENTIAL = /(ship|deploy)-[0-9a-f]{32}/gi;
/** The percent-encoding of a letter, a digit, a hyphen, or of a percent sign. */
const ENCODED = /%(25|2d|3\d|[46][1-9a-f]|[57][\da])/gi;
const MAX_DECODINGS = 3;
const CLAIM_HASH = /(\/|%2f|"claim":")[0-9a-f]{32}(?![\w.-])/gi;

/**
 * Blanks the secrets that could have slipped into a text: credentials, and claim hashes, which are whole segments of a path
 * wherever the claim page is. Made for JSON as well: a secret is found behind an escape, and JSON stays JSON. A text in which
 * a secret was percent-encoded has its letters, digits and hyphens decoded.
 *
 * Source: security T20.
 */
export function hideSecrets(text: string): string {
  const decoded = text.includes('%') ? decodeLetters(text) : text;
  const hidden = hidePlain(decoded);
  return hidden === decoded ? text : hidden;
}

function hidePlain(text: string): string {
  return text.replace(CREDENTIAL, '$1-[hidden]').replace(CLAIM_HASH, '$1[hidden]');
}

/** Decodes what may be encoded several times over. */
function decodeLetters(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1)
    decoded = decoded.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded;
}
