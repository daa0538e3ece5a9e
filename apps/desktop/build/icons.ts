// `node build/icons.ts [--tray]`: renders every icon of the app, or only those of the tray, from the drawings in `assets`. The rendered
// icons are committed.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { ICNS_SIZES, icns, ico, type Picture } from './icon-files.ts';
import { TRAY_STATUSES, trayDrawing, type TrayStatus } from './tray-drawings.ts';

const ASSETS = join(import.meta.dirname, '../assets');
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const WINDOWS_SIZES = [16, 20, 24, 32, 40, 48, 64, 256];
const WINDOW_SIZE = 256;

/** Icons below this width, in pixels, use the drawing with fewer lines. */
const SMALL = 40;

/** The `viewBox` that adds the margin of macOS icons: the tile is 824 pixels wide in an image of 1,024. */
const MAC_VIEW = '-64.6 -64.6 1153.2 1153.2';
const MAC_VIEW_SMALL = '-1.94 -1.94 19.88 19.88';

/**
 * The sizes of the tray icons in pixels, by the end of their names. The system chooses the density by the end after the `@`. Windows has
 * steps between the densities of its screens. The panels of Linux desktops are 22 or 24 pixels high, and scale the icon down.
 */
const TRAY_SIZES: readonly (readonly [
  kind: 'colour' | 'template',
  variant: string,
  sizes: Readonly<Record<string, number>>,
])[] = [
  ['colour', '', { '': 16, '@1.25x': 20, '@1.5x': 24, '@2x': 32 }],
  ['colour', 'Large', { '': 24, '@2x': 48 }],
  ['template', 'Template', { '': 16, '@2x': 32 }],
];

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  if (!process.argv.includes('--tray')) await makeAppIcons(page);
  for (const status of TRAY_STATUSES) await makeTrayIcons(page, status);
} finally {
  await browser.close();
}

async function makeAppIcons(page: Page): Promise<void> {
  const largeSvg = await readFile(join(ASSETS, 'icon.svg'), 'utf8');
  const smallSvg = await readFile(join(ASSETS, 'icon-small.svg'), 'utf8');
  const plainIcon = (size: number) => (size < SMALL ? smallSvg : largeSvg);
  const macIcon = (size: number) => (size < SMALL ? withView(smallSvg, MAC_VIEW_SMALL) : withView(largeSvg, MAC_VIEW));

  await mkdir(join(ASSETS, 'icons'), { recursive: true });
  for (const { size, png } of await renderPictures(page, plainIcon, LINUX_SIZES))
    await saveAsset(`icons/${size}x${size}.png`, png);
  for (const { png } of await renderPictures(page, plainIcon, [WINDOW_SIZE])) await saveAsset('icon.png', png);
  await saveAsset('icon.ico', ico(await renderPictures(page, plainIcon, WINDOWS_SIZES)));
  await saveAsset('icon.icns', icns(await renderPictures(page, macIcon, ICNS_SIZES)));
}

async function makeTrayIcons(page: Page, status: TrayStatus): Promise<void> {
  await mkdir(join(ASSETS, 'tray'), { recursive: true });
  for (const [kind, variant, sizes] of TRAY_SIZES)
    for (const [density, size] of Object.entries(sizes))
      for (const { png } of await renderPictures(page, () => trayDrawing(status, kind), [size]))
        await saveAsset(`tray/${status}${variant}${density}.png`, png);
}

async function renderPictures(
  page: Page,
  draw: (size: number) => string,
  sizes: readonly number[],
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const size of sizes) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${draw(size)}`);
    pictures.push({ size, png: await page.screenshot({ omitBackground: true }) });
  }
  return pictures;
}

function withView(svg: string, viewBox: string): string {
  return svg.replace(/viewBox="[^"]*"/, `viewBox="${viewBox}"`);
}

function saveAsset(name: string, bytes: Buffer): Promise<void> {
  return writeFile(join(ASSETS, name), bytes);
}
