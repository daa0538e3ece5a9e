import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

it('api §2: "No event, webhook or notification mechanism appears in the interface description."', async () => {
  const document = (await world.send('GET', '/openapi.json')).json<{ paths: object }>();
  expect(document).not.toHaveProperty('webhooks');
  expect(JSON.stringify(document)).not.toContain('"callbacks"');
  expect(Object.keys(document.paths).filter((path) => /event|hook|notif|subscri|watch|stream/i.test(path))).toEqual([]);
});

it.each(['/events', '/webhooks', '/notifications', '/activities/watch'])('api §2: %s does not exist', async (path) => {
  for (const method of ['GET', 'POST']) expectErrorAnswer(await world.send(method, path), 'not_found');
});
