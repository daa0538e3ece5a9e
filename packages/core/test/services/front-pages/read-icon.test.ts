import { describe, expect, it } from 'vitest';
import { readIcon } from '../../../src/services/front-pages/read-icon.ts';

/** Returns a PNG of a size, whose pixels are missing. */
function png(width: number, height = width, bytes = 64): Buffer {
  const image = Buffer.alloc(bytes);
  image.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}
function gif(width: number, height: number): Buffer {
  const image = Buffer.alloc(20);
  image.write('GIF89a', 'latin1');
  image.writeUInt16LE(width, 6);
  image.writeUInt16LE(height, 8);
  return image;
}
function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const image = Buffer.alloc(40);
  image.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1');
  if (kind === 'VP8 ') {
    image.writeUInt16LE(width, 26);
    image.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') image.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  else {
    image.writeUIntLE(width - 1, 24, 3);
    image.writeUIntLE(height - 1, 27, 3);
  }
  return image;
}
/** Returns a bitmap as it is inside of an ICO file. */
function bitmap(size: number, bytes = 64): Buffer {
  const image = Buffer.alloc(bytes, size);
  image.writeUInt32LE(40, 0);
  image.writeInt32LE(size, 4);
  image.writeInt32LE(size * 2, 8);
  return image;
}
function ico(images: readonly { size: number; image: Buffer; bits?: number; offset?: number }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let end = head.length;
  for (const [i, { size, image, bits = 32, offset = end }] of images.entries()) {
    head.writeUInt8(size % 256, 6 + 16 * i);
    head.writeUInt8(size % 256, 7 + 16 * i);
    head.writeUInt16LE(bits, 12 + 16 * i);
    head.writeUInt32LE(image.length, 14 + 16 * i);
    head.writeUInt32LE(offset, 18 + 16 * i);
    end += image.length;
  }
  return Buffer.concat([head, ...images.map(({ image }) => image)]);
}

describe('api §3: an icon', () => {
  it.each([
    ['image/png', png(32)],
    ['image/gif', gif(16, 16)],
    ['image/webp', webp('VP8 ', 32, 32)],
    ['image/webp', webp('VP8L', 1024, 1024)],
    ['image/webp', webp('VP8X', 180, 180)],
  ])('%s is kept as it is', (type, bytes) => expect(readIcon(bytes)).toEqual({ type, bytes }));

  it.each([
    ['nothing', Buffer.of()],
    ['a page', Buffer.from('<!doctype html><title>Not found</title>')],
    ['a text', Buffer.from('GIF89a')],
    ['a JPEG', Buffer.from('\xff\xd8\xff\xe0'.padEnd(64), 'latin1')],
    ['a script that begins like an image', Buffer.from('GIF8Xa/*'.padEnd(64))],
    ['a picture without pixels', png(0)],
    ['a picture that is too wide', png(1025, 16)],
    ['a picture that is too high', gif(16, 65535)],
    ['an animation that is too large', webp('VP8X', 16_000, 16_000)],
    ['an unknown kind of WebP', Buffer.from('RIFF\0\0\0\0WEBP9999'.padEnd(64), 'latin1')],
    ['a picture of more than 16 KiB', png(32, 32, 16 * 1024 + 1)],
    ['an ICO file without images', ico([])],
    ['an ICO file whose image is elsewhere', ico([{ size: 32, image: bitmap(32), offset: 4_000_000_000 }])],
    ['an ICO file whose image has another size', ico([{ size: 32, image: bitmap(64) }])],
    ['an ICO file that ends early', ico([{ size: 32, image: bitmap(32) }]).subarray(0, 20)],
    ['a file of more than 128 KiB', Buffer.concat([ico([{ size: 32, image: bitmap(32) }]), Buffer.alloc(131_072)])],
  ])('%s is no icon', (_, bytes) => expect(readIcon(bytes)).toBeNull());

  it('in an ICO file is the image that is best for a list', () => {
    const file = ico([
      { size: 256, image: bitmap(256, 60_000) },
      { size: 16, image: bitmap(16) },
      { size: 32, image: bitmap(32, 100), bits: 8 },
      { size: 32, image: bitmap(32, 200), bits: 32 },
    ]);
    expect(readIcon(file)).toEqual({ type: 'image/x-icon', bytes: ico([{ size: 32, image: bitmap(32, 200) }]) });
    expect(
      readIcon(
        ico([
          { size: 16, image: bitmap(16) },
          { size: 64, image: bitmap(64, 20_000) },
        ]),
      )?.bytes,
    ).toEqual(ico([{ size: 16, image: bitmap(16) }]));
    expect(readIcon(ico([{ size: 256, image: png(256) }]))).toEqual({ type: 'image/png', bytes: png(256) });
  });

  it('as SVG is reduced to shapes', () => {
    const icon = readIcon(Buffer.from('\ufeff <svg viewBox="0 0 9 9"><script>alert(1)</script><g/></svg>'));
    expect({ ...icon, bytes: icon?.bytes.toString() }).toEqual({
      type: 'image/svg+xml',
      bytes: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g></g></svg>',
    });
  });
});
