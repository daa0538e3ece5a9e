/** One part as a second, independent implementation of RFC 7578 reads it. */
export interface ParsedPart {
  name: string | undefined;
  /** The decoded file name; `undefined` if the part is a field. */
  filename: string | undefined;
  bytes: Buffer;
}

/** Parses a whole body. @returns `null` for a body that is not well-formed. */
export function readForm(body: Buffer, boundary: string): ParsedPart[] | null {
  const [preamble, ...sections] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const endIndex = sections.findIndex((section) => section.startsWith('--'));
  if (
    preamble !== '' ||
    endIndex < 0 ||
    sections.slice(endIndex + 1).length > 0 ||
    /\S/.test(sections[endIndex]!.slice(2))
  )
    return null;
  const parts = sections.slice(0, endIndex).map(readPart);
  return parts.includes(null) ? null : (parts as ParsedPart[]);
}

function readPart(section: string): ParsedPart | null {
  const [, head, content] = /^\r\n((?:[^\r\n]+\r\n)*)\r\n([^]*)$/.exec(section) ?? [];
  if (head === undefined) return null;
  const headers = new Map<string, string>();
  for (const line of head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .trimEnd()
    .split('\r\n')) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) return null;
    const key = name.toLowerCase();
    if (!headers.has(key)) headers.set(key, value!);
  }
  const disposition = readParameters(headers.get('content-disposition') ?? '');
  if (disposition?.value !== 'form-data') return null;
  const { parameters } = disposition;
  const extended = parameters.get('filename*');
  const filename = extended ? decodeExtendedValue(extended) : decodeUtf8(parameters.get('filename'));
  if (filename === null) return null;
  const bytes = Buffer.from(content!, 'latin1');
  return { name: decodeUtf8(parameters.get('name')), filename: filename || undefined, bytes };
}

function readParameters(text: string): { value: string; parameters: Map<string, string> } | null {
  const [, value, parameterText] = /^([\w!#$%&'*+.^`|~-]+)[ \t]*(.*)$/.exec(text) ?? [];
  if (value === undefined) return null;
  const parameters = new Map<string, string>();
  let unreadText = parameterText!;
  while (unreadText !== '') {
    const [match, name, quoted, token] =
      /^;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:\\["\\]|[^"])*)"|([^;" \t]+))[ \t]*/.exec(unreadText) ?? [];
    if (match === undefined) return null;
    const key = name!.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, token ?? quoted!.replaceAll(/\\(["\\])/g, '$1'));
    unreadText = unreadText.slice(match.length);
  }
  return { value: value.toLowerCase(), parameters };
}

function decodeExtendedValue(text: string): string | null {
  const [, charset, encoded] = /^([^']*)'[^']*'((?:%[0-9a-f]{2}|[\w!#$&+.^`|~-])+)$/i.exec(text) ?? [];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(
    encoded.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return null;
  }
}

function decodeUtf8(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'latin1').toString();
}
