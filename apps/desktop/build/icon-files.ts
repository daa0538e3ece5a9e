/** A square image: a PNG file and its width in pixels. */
export interface Picture {
  size: number;
  png: Buffer;
}

/** The width in pixels of each ICNS type. The comments give the size of high-density icons in points. */
const ICNS_TYPES: Readonly<Record<string, number>> = {
  ic11: 32, // 16 points on a high-density screen
  ic12: 64, // 32 points on a high-density screen
  ic07: 128,
  ic13: 256, // 128 points on a high-density screen
  ic08: 256,
  ic14: 512, // 256 points on a high-density screen
  ic09: 512,
  ic10: 1024, // 512 points on a high-density screen
};

/** The sizes that {@link icns} needs. */
export const ICNS_SIZES: readonly number[] = [...new Set(Object.values(ICNS_TYPES))];

/** Builds a macOS icon: each PNG file follows its type and length. @throws Error unless there is a picture of each size. */
export function icns(pictures: readonly Picture[]): Buffer {
  const entries = Object.entries(ICNS_TYPES).map(([type, size]) => {
    const picture = pictures.find((candidate) => candidate.size === size);
    if (picture === undefined) throw new Error(`The macOS icon needs an image of ${size} pixels.`);
    return chunk(type, picture.png);
  });
  return chunk('icns', Buffer.concat(entries));
}

/** Builds a Windows icon: a directory that is followed by PNG files, which are at most 256 pixels wide. */
export function ico(pictures: readonly Picture[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let start = header.length;
  for (const [index, { size, png }] of pictures.entries()) {
    const offset = 6 + 16 * index;
    // The width 256 does not fit in a byte and is written as 0.
    header.writeUInt8(size % 256, offset);
    header.writeUInt8(size % 256, offset + 1);
    header.writeUInt16LE(1, offset + 4);
    header.writeUInt16LE(32, offset + 6);
    header.writeUInt32LE(png.length, offset + 8);
    header.writeUInt32LE(start, offset + 12);
    start += png.length;
  }
  return Buffer.concat([header, ...pictures.map(({ png }) => png)]);
}

function chunk(type: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'ascii');
  header.writeUInt32BE(header.length + bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
