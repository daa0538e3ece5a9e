import { expect, it } from 'vitest';
import { withAbsoluteLinks } from '../src/package-files.ts';

const REPOSITORY = 'https://code.example/berth';

it.each([
  ['a file of another package', '[a](../cli/README.md)', `[a](${REPOSITORY}/blob/HEAD/packages/cli/README.md)`],
  ['a file of the repository', '[a](../../README.md#rules)', `[a](${REPOSITORY}/blob/HEAD/README.md#rules)`],
  ['a file of the package', '[a](LICENSE)', `[a](${REPOSITORY}/blob/HEAD/packages/client/LICENSE)`],
  ['another site', '[a](https://npmjs.com)', '[a](https://npmjs.com)'],
  ['a heading of the same page', '[a](#watch)', '[a](#watch)'],
])('on a package page, a link to %s leads there', (_, link, absolute) => {
  expect(withAbsoluteLinks(link, 'packages/client', REPOSITORY)).toBe(absolute);
});
