import type { Configuration } from 'electron-builder';
import manifest from './package.json' with { type: 'json' };
import { noDownloads } from './build/no-downloads.ts';
import { APP_ID, DESKTOP_NAME, PROGRAM } from './src/main/shell/identity.ts';

/**
 * Configures how the app is packaged for Linux, macOS and Windows.
 *
 * @param env `BERTH_UPDATE_FEED` is the `https:` address of the folder with the newest packages. Without a feed, the packaged app
 *   does not check for updates. With a feed, packages for macOS and Windows must be signed. `BERTH_ELECTRON_DIST` is a folder with
 *   Electron; by default, Electron is downloaded. With `BERTH_NO_DOWNLOADS`, packaging fails instead of downloading.
 * @throws Error if `BERTH_UPDATE_FEED` is not an `https:` address. Source: desktop §4.
 */
export function configure(env: NodeJS.ProcessEnv): Configuration {
  const updateFeed = feedOf(env['BERTH_UPDATE_FEED']);
  return {
    appId: APP_ID,
    productName: manifest.productName,
    copyright: `Copyright © ${manifest.author.name}`,
    electronVersion: manifest.devDependencies.electron,
    electronDist: env['BERTH_ELECTRON_DIST'] || null,
    ...(env['BERTH_NO_DOWNLOADS'] ? noDownloads(env) : {}),
    directories: { buildResources: 'assets', output: 'release' },
    artifactName: `${PROGRAM}-\${version}-\${os}-\${arch}.\${ext}`,

    // `dist` contains everything, so no modules are collected, installed or rebuilt.
    files: ['dist/**', 'package.json', '!**/*.map'],
    beforeBuild: async () => false,
    asar: true,
    extraResources: [{ from: '../../LICENSE', to: 'LICENSE.berth.txt' }],
    extraMetadata: { desktopName: DESKTOP_NAME },

    protocols: [{ name: manifest.productName, schemes: ['berth'] }],
    publish: updateFeed === null ? null : { provider: 'generic', url: updateFeed },
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    },

    ...linuxPackages(),
    mac: macPackages(updateFeed !== null),
    win: { target: ['nsis'], icon: 'assets/icon.ico', forceCodeSigning: updateFeed !== null },
    // The app is installed for the current user only, so no administrator is needed.
    nsis: { oneClick: true, perMachine: false, packElevateHelper: false },
  };
}

export default configure(process.env);

function linuxPackages(): Pick<Configuration, 'linux' | 'deb' | 'toolsets'> {
  return {
    linux: {
      target: ['AppImage', 'deb', 'tar.gz'],
      executableName: PROGRAM,
      // The desktop matches windows to the `.desktop` file by name.
      syncDesktopName: true,
      icon: 'assets/icons',
      category: 'Network;FileTransfer',
      synopsis: 'Drag a folder, get a link',
      description: manifest.description,
      desktop: { entry: { Keywords: 'publish;website;share;deploy;', StartupNotify: 'true' } },
    },
    deb: {
      packageName: PROGRAM,
      packageCategory: 'web',
      // The app uses this package to ask the desktop whether it shows tray icons.
      recommends: ['libglib2.0-bin'],
    },
    // This version of the runtime does not need FUSE 2, which newer systems lack.
    toolsets: { appimage: '1.0.3' },
  };
}

function macPackages(updates: boolean): Configuration['mac'] {
  return {
    // The updater installs from the zip archive.
    target: (updates ? ['dmg', 'zip'] : ['dmg']).map((target) => ({ target, arch: 'universal' })),
    category: 'public.app-category.developer-tools',
    icon: 'assets/icon.icns',
    hardenedRuntime: true,
    entitlements: 'build/entitlements.mac.plist',
    entitlementsInherit: 'build/entitlements.mac.plist',
    forceCodeSigning: updates,
  };
}

function feedOf(address: string | undefined): string | null {
  if (address === undefined || address === '') return null;
  if (URL.parse(address)?.protocol !== 'https:')
    throw new Error(`BERTH_UPDATE_FEED must be an https: address, not ${JSON.stringify(address)}`);
  return address;
}
