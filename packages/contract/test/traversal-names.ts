const DOTS = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%uff0e%uff0e',
  '..%00',
  '..\u0000',
  '..;',
  '.. ',
  '....',
  '.\u200b.',
  '\uff0e\uff0e',
  '\u2025',
  '\u002e\u0323.',
  '%%32%65%%32%65',
  '.',
  '...',
];
const SEPARATORS = [
  '/',
  '\\',
  '%2f',
  '%5c',
  '%252f',
  '%255c',
  '%c0%af',
  '%c1%9c',
  '\u2215',
  '\uff0f',
  '\u29f8',
  '//',
  '\\/',
  '/./',
  ';/',
  ':',
  '%u2215',
];
const TARGETS = ['etc/passwd', 'windows\\win.ini', 'index.html'];
const PREFIXES = ['', '/', './', '//', 'a/', 'C:', 'D:', 'C:/', '\\\\host\\', 'file:///', '%2f'];
const SUFFIXES = ['', '%00', '/', '.html'];
const DEPTHS = [1, 2, 6];

/** Generates names that leave a folder under some reading: encodings of dots and separators, at several depths. */
export function* traversalNames(): Generator<string> {
  for (const dots of DOTS)
    for (const separator of SEPARATORS)
      for (const depth of DEPTHS)
        for (const target of TARGETS)
          for (const prefix of PREFIXES)
            for (const suffix of SUFFIXES) yield prefix + (dots + separator).repeat(depth) + target + suffix;
}
