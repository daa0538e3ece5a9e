/** A square image: a PNG file and its width in pixels. */
export interface Picture {
  size: number;
  png: Buffer;
}

/** The ICNS type of each image with its width in pixels. The comments give the size in points for `@2x` screens. */
const ICNS_TYPES: Readonly<Record<string, number>> = {
  ic11: 32, // 16@2x
  ic12: 64, // 32@2x
  ic07: 128,
  ic13: 256, // 128@2x
  ic08: 256,
  ic14: 512, // 256@2x
  ic09: 512,
  ic10: 1024, // 512@2x
};

/** The sizes that {@link icns} needs. */
export const ICNS_SIZES: readonly number[] = [...new Set(Object.values(ICNS_TYPES))];

/** Builds a macOS icon: PNG files, each after its type and length. @throws Error unless all {@link ICNS_SIZES} are given. */
export function icns(pictures: readonly Picture[]): Buffer {
  const entries = Object.entries(ICNS_TYPES).map(([type, size]) => {
    const picture = pictures.find((one) => one.size === size);
    if (picture === undefined) throw new Error(`The macOS icon needs an image of ${size} pixels.`);
    return chunk(type, picture.png);
  });
  return chunk('icns', Buffer.concat(entries));
}

/** Builds a Windows icon: a directory followed by PNG files. Images are at most 256 pixels wide. */
export function ico(pictures: readonly Picture[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let start = header.length;
  for (const [index, { size, png }] of pictures.entries()) {
    const at = 6 + 16 * index;
    // 256 does not fit in a byte and is written as 0.
    header.writeUInt8(size % 256, at);
    header.writeUInt8(size % 256, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(png.length, at + 8);
    header.writeUInt32LE(start, at + 12);
    start += png.length;
  }
  return Buffer.concat([header, ...pictures.map(({ png }) => png)]);
}

function chunk(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'ascii');
  header.writeUInt32BE(header.length + content.length, 4);
  return Buffer.concat([header, content]);
}
