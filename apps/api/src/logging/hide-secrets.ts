const CREDENTIAL = /(ship|deploy)-[0-9a-f]{32}/gi;
/** Matches the percent-encoding of a letter, a digit, a hyphen or a percent sign. */
const ENCODED_CHARACTER = /%(25|2d|3\d|[46][1-9a-f]|[57][\da])/gi;
const MAX_DECODINGS = 3;
const CLAIM_HASH = /(\/|%2f|"claim":")[0-9a-f]{32}(?![\w.-])/gi;

/**
 * Replaces the secrets of a text: credentials, and claim hashes that are whole path segments. In JSON, it also finds
 * secrets after an escape, and valid JSON stays valid. If a secret is percent-encoded, the result has the decoded
 * letters, digits and hyphens of the whole text. Source: security T20.
 */
export function hideSecrets(text: string): string {
  const decoded = text.includes('%') ? decodeLetters(text) : text;
  const hiddenText = decoded.replace(CREDENTIAL, '$1-[hidden]').replace(CLAIM_HASH, '$1[hidden]');
  return hiddenText === decoded ? text : hiddenText;
}

/** Decodes text that may be percent-encoded several times. */
function decodeLetters(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1)
    decoded = decoded.replace(ENCODED_CHARACTER, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded;
}
