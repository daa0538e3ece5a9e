import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>My first site</title>
    <link rel="icon" href="icon.svg">
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <main>
      <img src="icon.svg" alt="" width="72" height="72">
      <h1>My first site</h1>
      <p>This page is online. Everyone with the link can see it.</p>
      <p>Change the files of its folder and publish the folder again, or drop a folder of your own on Berth.</p>
    </main>
  </body>
</html>
`;

const STYLE = `:root { color-scheme: light dark; font: 18px/1.6 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; }
main { max-width: 32rem; padding: 2rem; text-align: center; }
h1 { margin: 0.5rem 0; }
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#0b6788"/>
  <path d="M6 19q5-8 10-3t10-4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`;

const FILES = { 'index.html': PAGE, 'style.css': STYLE, 'icon.svg': ICON };

/**
 * Writes the files of the sample site. Files that exist stay unchanged, because the user may have edited them.
 *
 * @returns The folder of the sample site.
 */
export async function writeSampleSite(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'sample-site');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES))
    await writeFile(join(folder, name), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  return folder;
}
