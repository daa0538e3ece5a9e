import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProjectFolder, parseProject } from '../src/project/project-file.ts';
import { createUser, inFolder, writeFiles } from './user.ts';

describe('berth.json', () => {
  it('contains a folder, and may contain a domain, patterns, a build command and a server', () => {
    const project = {
      folder: 'docs/.vitepress/dist',
      domain: 'blog',
      ignore: ['*.map'],
      build: 'npm run build',
      server: 'https://berth.example',
    };
    expect(parseProject(JSON.stringify(project))).toEqual(project);
    expect(parseProject('{"folder":"."}')).toEqual({ folder: '.' });
  });

  it.each([
    ['{"folder":', /^berth\.json is not valid JSON: /],
    ['[]', 'berth.json: the file must contain one object, such as { "folder": "dist" }'],
    ['{}', 'berth.json: folder must be the path of the built site, such as "dist"'],
    ['{"folder":""}', 'berth.json: folder must be the path of the built site, such as "dist"'],
    ['{"folder":7}', 'berth.json: folder must be the path of the built site, such as "dist"'],
    ...['../dist', 'a/../../b', '/etc', 'C:\\Users', 'a\\..\\..\\b'].map((folder): [string, string] => [
      JSON.stringify({ folder }),
      'berth.json: folder must be a path inside the project, without ".."',
    ]),
    ['{"folder":"dist","domian":"a"}', 'berth.json: there is no field "domian". Did you mean "domain"?'],
    [
      '{"folder":"dist","x":"a"}',
      'berth.json: there is no field "x". The fields are folder, domain, ignore, build, server',
    ],
    ['{"folder":"dist","__proto__":{"a":1}}', /^berth\.json: there is no field "__proto__"/],
    ['{"folder":"dist","apiKey":"ship-1"}', /^berth\.json: "apiKey" does not belong in this file, .+ Use berth login$/],
    ['{"folder":"dist","ignore":"*.map"}', 'berth.json: ignore must be a list of patterns, as in .gitignore'],
    [
      JSON.stringify({ folder: 'd', ignore: Array(101).fill('a') }),
      'berth.json: ignore must have at most 100 patterns',
    ],
    ['{"folder":"dist","server":"ftp://berth.example"}', /^"ftp:\/\/berth\.example" is not a server address/],
  ])('that contains %s is refused with the reason', (text, message) => {
    expect(() => parseProject(text)).toThrow(message);
  });

  it('cannot name a folder that a link leads out of the project', async () => {
    const { home } = createUser();
    mkdirSync(join(home, 'project'));
    writeFiles(home, { 'private/index.html': 'secret', 'project/dist/index.html': 'hi' });
    symlinkSync('../private', join(home, 'project/out'));
    await inFolder(join(home, 'project'), async () => {
      expect(await findProjectFolder({ folder: './dist' })).toBe('dist');
      await expect(findProjectFolder({ folder: 'out' })).rejects.toThrow('is a link that leads out of the project');
      await expect(findProjectFolder({ folder: 'build', build: 'npm run build' })).rejects.toThrow(
        'The folder build does not exist. Build the site first: npm run build',
      );
    });
  });
});
