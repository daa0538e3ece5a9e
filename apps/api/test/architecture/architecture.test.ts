import { expect, it } from 'vitest';
import { drawArchitecture, readDrawnArchitecture } from './picture.ts';

it('docs/architecture.md shows the imports of the source; npm run architecture redraws them', () => {
  expect(readDrawnArchitecture()).toBe(drawArchitecture());
});
