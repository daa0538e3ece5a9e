import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { LINK_SCHEME } from '../../src/main/shell/deep-link.ts';
import { DESKTOP_NAME, PROGRAM } from '../../src/main/shell/identity.ts';
import { type ArchivedFile, readAsar } from './asar.ts';
import { makeWorkbench, type Packed, type Workbench } from './packed.ts';

const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const SEVEN_ZIP = ['/usr/bin/7zz', '/usr/bin/7za', '/usr/bin/7z'].find((path) => existsSync(path));
const HAS_DPKG = existsSync('/usr/bin/dpkg-deb');
const MISSING_TOOLS = [
  ...(SEVEN_ZIP === undefined ? ['7-Zip (apt-get install 7zip)'] : []),
  ...(HAS_DPKG ? [] : ['dpkg-deb']),
];
if (MISSING_TOOLS.length > 0)
  process.stderr.write(`Some tests of packages are skipped: there is no ${MISSING_TOOLS.join(', and no ')}.\n`);

/** Values of the build machine that must not be in a package. */
const SECRET = 'ship-0123456789abcdef0123456789abcdef';
const TIMEOUT = 240_000;

let workbench: Workbench;
let packed: Packed;
beforeAll(async () => {
  workbench = await makeWorkbench();
  const targets = ['dir', ...(SEVEN_ZIP === undefined ? [] : ['tar.gz']), ...(HAS_DPKG ? ['deb'] : [])];
  const toolVariables = SEVEN_ZIP === undefined ? {} : { ELECTRON_BUILDER_7ZIP_PATH: SEVEN_ZIP };
  packed = await workbench.pack(targets, { ...toolVariables, BERTH_KEY: SECRET });
  expect(packed.code, packed.output).toBe(0);
}, TIMEOUT);
afterAll(() => workbench?.remove());

const nameOf = (kind: string) => `${PROGRAM}-${manifest.version}-linux-${kind}`;

/** The files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

it('the packager makes packages without a network and without downloads (desktop §4)', () => {
  expect(packed.downloads).toEqual([]);
  expect(packed.connections).toBe(0);
});

describe('the unpacked app (desktop §4)', () => {
  let folder: string;
  let app: Map<string, ArchivedFile>;
  beforeAll(async () => {
    folder = join(packed.release, 'linux-unpacked');
    app = await readAsar(join(folder, 'resources/app.asar'));
  });

  it('contains only the compiled app and its manifest, with a checksum for each file', async () => {
    const distPaths = (await filesIn(join(workbench.app, 'dist'))).map((path) => `dist/${path}`);
    const compiled = distPaths.filter((path) => !path.endsWith('.map'));
    expect(compiled.length).toBeGreaterThan(20);
    expect([...app.keys()].toSorted()).toEqual([...compiled, 'package.json'].toSorted());
    for (const [path, { content, sha256 }] of app) {
      expect(createHash('sha256').update(content).digest('hex'), path).toBe(sha256);
      if (path !== 'package.json') expect(content.equals(await readFile(join(workbench.app, path))), path).toBe(true);
    }
  });

  it('has a manifest with the entry point and the `.desktop` file, but no tools or scripts', () => {
    const packageJson = JSON.parse(app.get('package.json')!.content.toString()) as Record<string, unknown>;
    expect(packageJson).toMatchObject({ main: manifest.main, version: manifest.version, desktopName: DESKTOP_NAME });
    expect(app.has(manifest.main)).toBe(true);
    expect(Object.keys(packageJson).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
  });

  it('has fuses that make it run only its own code and prevent inspection', async () => {
    const { DISABLE, ENABLE } = FuseState;
    expect(await getCurrentFuseWire(join(folder, PROGRAM))).toMatchObject({
      [FuseV1Options.RunAsNode]: DISABLE,
      [FuseV1Options.EnableCookieEncryption]: DISABLE,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: DISABLE,
      [FuseV1Options.EnableNodeCliInspectArguments]: DISABLE,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: ENABLE,
      [FuseV1Options.OnlyLoadAppFromAsar]: ENABLE,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: DISABLE,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: DISABLE,
    });
    expect(await getCurrentFuseWire(join(workbench.electron, 'electron'))).toMatchObject({
      [FuseV1Options.RunAsNode]: ENABLE,
      [FuseV1Options.OnlyLoadAppFromAsar]: DISABLE,
    });
  });

  it('includes all licences, even those of the packages that are compiled into it', async () => {
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(['LICENSE.electron.txt', 'LICENSES.chromium.html', PROGRAM]));
    expect(await readFile(join(folder, 'resources/LICENSE.berth.txt'), 'utf8')).toContain('MIT License');
    expect(app.get('dist/main/licenses.md')!.content.toString()).toMatch(/^## chokidar .*MIT/m);
    expect(app.get('dist/renderer/licenses.md')!.content.toString()).toMatch(/^## react .*MIT/m);
  });

  it('contains no path and no secret of the build machine', async () => {
    const secrets = [join(import.meta.dirname, '../../../..'), homedir(), workbench.app, SECRET];
    for (const path of await filesIn(folder)) {
      const content = await readFile(join(folder, path));
      expect(
        secrets.filter((text) => content.includes(text)),
        path,
      ).toEqual([]);
    }
  });

  it('contains no update feed', async () => {
    expect(existsSync(join(folder, 'resources/app-update.yml'))).toBe(false);
    expect((await readdir(packed.release)).filter((name) => name.startsWith('latest'))).toEqual([]);
  });
});

describe.skipIf(SEVEN_ZIP === undefined)('the tar.gz (desktop §4)', () => {
  it('contains one folder with the program', () => {
    const archive = join(packed.release, `${nameOf('x64')}.tar.gz`);
    const lines = execFileSync('tar', ['-tvzf', archive], { encoding: 'utf8' }).trim().split('\n');
    expect(lines.filter((line) => !line.includes(` ${nameOf('x64')}/`))).toEqual([]);
    expect(lines.filter((line) => line.endsWith(`/${PROGRAM}`))).toEqual([expect.stringMatching(/^-rwxr-xr-x/)]);
    expect(lines.some((line) => line.endsWith('/resources/app.asar'))).toBe(true);
  });
});

describe.skipIf(!HAS_DPKG)('the Debian package (desktop §4)', () => {
  let root: string;
  const readControl = (name: string) => readFile(join(root, 'DEBIAN', name), 'utf8');
  const file = () => join(packed.release, `${nameOf('amd64')}.deb`);
  beforeAll(async () => {
    root = join(packed.release, 'root');
    await mkdir(root);
    execFileSync('dpkg-deb', ['--raw-extract', file(), root]);
  });

  it('states its name, maintainer and dependencies', async () => {
    const fields = await readControl('control');
    expect(fields).toMatch(new RegExp(`^Package: ${PROGRAM}$`, 'm'));
    expect(fields).toMatch(new RegExp(`^Version: ${manifest.version}$`, 'm'));
    expect(fields).toMatch(/^Architecture: amd64$/m);
    expect(fields).toContain(`Maintainer: ${manifest.author.name} <${manifest.author.email}>`);
    expect(fields).toContain(`Homepage: ${manifest.homepage}`);
    expect(fields).toContain(`\n ${manifest.description}\n`);
    expect(fields).toMatch(/^Depends: .*libgtk-3-0.*libnss3.*libsecret-1-0/m);
    expect(fields).toMatch(/^Recommends: libglib2\.0-bin$/m);
    expect(fields).toMatch(/^Section: web$/m);
    const { size } = await stat(join(root, 'opt/Berth/resources/app.asar'));
    expect(Number(/^Installed-Size: (\d+)$/m.exec(fields)?.[1]) * 1_024).toBeGreaterThan(size);
  });

  it('contains files that belong to root and that everyone can read', () => {
    const lines = execFileSync('dpkg-deb', ['--contents', file()], { encoding: 'utf8' }).trim().split('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /.test(line))).toEqual([]);
  });

  it('sets up the sandbox on installation, by setuid bit or AppArmor profile, and removes it on uninstallation', async () => {
    const postinstScript = await readControl('postinst');
    expect(postinstScript).toContain(`chmod 4755 '/opt/Berth/chrome-sandbox'`);
    expect(postinstScript).toContain(`/etc/apparmor.d/${PROGRAM}`);
    expect(await readControl('postrm')).toContain(`/etc/apparmor.d/${PROGRAM}`);
    const profile = await readFile(join(root, 'opt/Berth/resources/apparmor-profile'), 'utf8');
    expect(profile).toMatch(new RegExp(`"/opt/Berth/${PROGRAM}"[^]*userns`));
    for (const script of ['postinst', 'postrm']) execFileSync('bash', ['-n', join(root, 'DEBIAN', script)]);
  });

  it('does not use the name of the command line program', async () => {
    const scripts = (await readControl('postinst')) + (await readControl('postrm'));
    expect(scripts).toContain(`/usr/bin/${PROGRAM}`);
    expect(scripts).not.toMatch(/\/usr\/bin\/berth(?!-)/);
  });

  it('installs a valid desktop entry that matches its windows and handles its links (desktop §2)', async () => {
    const entry = join(root, 'usr/share/applications', DESKTOP_NAME);
    const lines = (await readFile(entry, 'utf8')).split('\n');
    expect(lines).toContain(`Exec=/opt/Berth/${PROGRAM} %U`);
    expect(lines).toContain(`Icon=${PROGRAM}`);
    expect(lines).toContain(`StartupWMClass=${DESKTOP_NAME.replace(/\.desktop$/, '')}`);
    const mimeTypes = lines.find((line) => line.startsWith('MimeType='))!;
    for (const type of [`x-scheme-handler/${LINK_SCHEME}`, 'inode/directory', 'text/html'])
      expect(mimeTypes.slice('MimeType='.length).split(';')).toContain(type);
    if (existsSync('/usr/bin/desktop-file-validate'))
      expect(execFileSync('desktop-file-validate', [entry], { encoding: 'utf8' })).toBe('');
  });

  it('contains its icon in every size, each with its stated dimensions', async () => {
    for (const size of SIZES) {
      const icon = await readFile(join(root, `usr/share/icons/hicolor/${size}x${size}/apps/${PROGRAM}.png`));
      expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([size, size]);
    }
  });
});

it.skipIf(!HAS_DPKG)(
  'a package with an update feed contains its address (desktop §2)',
  async () => {
    const feed = 'https://updates.berth.example/desktop';
    const { code, output, release } = await workbench.pack(['deb'], { BERTH_UPDATE_FEED: feed });
    expect(code, output).toBe(0);
    const updateFile = await readFile(join(release, 'linux-unpacked/resources/app-update.yml'), 'utf8');
    expect(updateFile).toContain('provider: generic\n');
    expect(updateFile).toContain(`url: ${feed}\n`);
    expect(await readFile(join(release, 'latest-linux.yml'), 'utf8')).toContain(`version: ${manifest.version}`);
  },
  TIMEOUT,
);

describe('packaging without downloads fails immediately and names the missing tool (desktop §4)', () => {
  it.for([
    ['AppImage', 'AppImage needs the AppImage tools: set APPIMAGE_TOOLS_PATH'],
    ['dir', `Electron ${manifest.devDependencies.electron} is missing: set BERTH_ELECTRON_DIST`],
  ] as const)('for the target %s', { timeout: TIMEOUT }, async ([target, reason]) => {
    const electron = target === 'dir' ? { BERTH_ELECTRON_DIST: '' } : {};
    const { code, output, downloads, connections } = await workbench.pack([target], {
      BERTH_NO_DOWNLOADS: '1',
      ...electron,
    });
    expect(code).not.toBe(0);
    expect(output).toContain(reason);
    expect(downloads).toEqual([]);
    expect(connections).toBe(0);
  });
});
