import { cleanSvg } from './clean-svg.ts';

/** An image that a browser can show without running or requesting anything. */
export interface Icon {
  type: 'image/gif' | 'image/png' | 'image/svg+xml' | 'image/webp' | 'image/x-icon';
  bytes: Buffer;
}

/** The maximum size of an icon, in bytes. */
const MAX_ICON_BYTES = 16 * 1024;
/** The maximum size of the file of an icon, in bytes. An ICO file has images of several sizes, one of which is kept. */
export const MAX_ICON_FILE_BYTES = 128 * 1024;
/** The maximum width and height in pixels, because a small file can have a huge picture. */
const MAX_PIXELS = 1_024;

/**
 * Reads an icon. The first bytes decide what it is, never its name. An SVG is reduced to shapes, see {@link cleanSvg}.
 *
 * @returns `null` for bytes that are no icon, and for an icon that is too large.
 */
export function readIcon(bytes: Buffer): Icon | null {
  const icon = bytes.length > MAX_ICON_FILE_BYTES ? null : (readPicture(bytes) ?? readIco(bytes) ?? readSvg(bytes));
  return icon && icon.bytes.length <= MAX_ICON_BYTES ? icon : null;
}

function readPicture(bytes: Buffer): Icon | null {
  const picture = readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes);
  if (!picture) return null;
  const { type, width, height } = picture;
  return width > 0 && height > 0 && width <= MAX_PIXELS && height <= MAX_PIXELS ? { type, bytes } : null;
}

interface Picture {
  type: Icon['type'];
  width: number;
  height: number;
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

function readPng(bytes: Buffer): Picture | null {
  if (bytes.length < 33 || !bytes.subarray(0, PNG_START.length).equals(PNG_START)) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): Picture | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null;
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebp(bytes: Buffer): Picture | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

const ICO_HEAD_BYTES = 6;
const ICO_ENTRY_BYTES = 16;
const MAX_ICO_IMAGES = 32;
const DIB_HEAD_BYTES = 40;
/** The size in pixels that is best for a list. */
const WANTED_SIZE = 32;

/** Returns an ICO file with the best of its images, or that image alone if it is a PNG. */
function readIco(bytes: Buffer): Icon | null {
  if (bytes.length < ICO_HEAD_BYTES || bytes.readUInt32BE(0) !== 0x00_00_01_00) return null;
  const count = Math.min(bytes.readUInt16LE(4), MAX_ICO_IMAGES);
  const entries = Array.from({ length: count }, (_, i) => ICO_HEAD_BYTES + i * ICO_ENTRY_BYTES)
    .filter((at) => at + ICO_ENTRY_BYTES <= bytes.length)
    .map((at) => ({ at, width: bytes[at] || 256, bits: bytes.readUInt16LE(at + 6) }));
  const rank = (width: number) => (width >= WANTED_SIZE ? width : 1_000 - width);
  const sorted = entries.toSorted((a, b) => rank(a.width) - rank(b.width) || b.bits - a.bits);
  for (const { at } of sorted) {
    const icon = readIcoImage(bytes, at);
    if (icon && icon.bytes.length <= MAX_ICON_BYTES) return icon;
  }
  return null;
}

function readIcoImage(bytes: Buffer, at: number): Icon | null {
  const [size, offset] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
  if (offset + size > bytes.length || size < DIB_HEAD_BYTES) return null;
  const image = bytes.subarray(offset, offset + size);
  const picture = readPicture(image);
  if (picture) return picture.type === 'image/png' ? picture : null;
  const isBitmap =
    image.readUInt32LE(0) === DIB_HEAD_BYTES &&
    image.readInt32LE(4) === (bytes[at] || 256) &&
    image.readInt32LE(8) === 2 * (bytes[at + 1] || 256);
  if (!isBitmap) return null;
  const head = Buffer.alloc(ICO_HEAD_BYTES + ICO_ENTRY_BYTES);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  bytes.copy(head, ICO_HEAD_BYTES, at, at + ICO_ENTRY_BYTES);
  head.writeUInt32LE(head.length, ICO_HEAD_BYTES + 12);
  return { type: 'image/x-icon', bytes: Buffer.concat([head, image]) };
}

function readSvg(bytes: Buffer): Icon | null {
  const text = new TextDecoder().decode(bytes);
  const svg = text.trimStart().startsWith('<') ? cleanSvg(text) : null;
  return svg === null ? null : { type: 'image/svg+xml', bytes: Buffer.from(svg) };
}
