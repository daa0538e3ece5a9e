/** A square picture: a PNG file, and how many pixels it is wide. */
export interface Picture {
  size: number;
  png: Buffer;
}

/** What macOS calls each picture: its width in points, and `@2x` where it is for screens of twice the density. */
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

/** The icon of an app on macOS: a list of PNG files, each behind its type and length. @throws Error without all of {@link ICNS_SIZES}. */
export function icns(pictures: readonly Picture[]): Buffer {
  const entries = Object.entries(ICNS_TYPES).map(([type, size]) => {
    const picture = pictures.find((one) => one.size === size);
    if (picture === undefined) throw new Error(`The icon for macOS lacks its picture of ${size} pixels.`);
    return chunk(type, picture.png);
  });
  return chunk('icns', Buffer.concat(entries));
}

/** An icon of Windows: a directory of PNG files, and the files. A picture is at most 256 pixels wide. */
export function ico(pictures: readonly Picture[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let start = header.length;
  for (const [index, { size, png }] of pictures.entries()) {
    const at = 6 + 16 * index;
    // A byte cannot hold 256: it is written as 0.
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
