const CREDENTIAL = /(ship|deploy)-[0-9a-f]{32}/gi;
/** The percent-encoding of a letter, a digit, a hyphen or a percent sign. */
const ENCODED = /%(25|2d|3\d|[46][1-9a-f]|[57][\da])/gi;
const MAX_DECODINGS = 3;
const CLAIM_HASH = /(\/|%2f|"claim":")[0-9a-f]{32}(?![\w.-])/gi;

/**
 * Replaces secrets in a text: credentials, and claim hashes, which are whole path segments wherever the claim page is.
 * It also works on JSON: it finds secrets after an escape, and valid JSON stays valid. If a secret was percent-encoded,
 * the letters, digits and hyphens of the text are decoded.
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

/** Decodes text that may be encoded several times. */
function decodeLetters(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1)
    decoded = decoded.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded;
}
