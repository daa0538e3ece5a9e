import type { Configuration } from 'electron-builder';
import manifest from './package.json' with { type: 'json' };
import { noDownloads } from './build/no-downloads.ts';
import { APP_ID, DESKTOP_NAME, PROGRAM } from './src/main/shell/identity.ts';

/** What macOS opens with the app, and why the app reads folders that macOS protects. */
const MAC_INFO = {
  CFBundleDocumentTypes: [
    {
      CFBundleTypeName: 'Folder or file to publish',
      CFBundleTypeRole: 'Viewer',
      LSHandlerRank: 'None',
      LSItemContentTypes: ['public.folder', 'public.data'],
    },
  ],
  ...Object.fromEntries(
    ['DesktopFolder', 'DocumentsFolder', 'DownloadsFolder', 'RemovableVolumes', 'NetworkVolumes'].map((place) => [
      `NS${place}UsageDescription`,
      'Berth reads the folders that you publish or watch.',
    ]),
  ),
};

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
    // The app speaks English. Chromium's own texts in other languages would be 40 MB.
    electronLanguages: ['en', 'en-US'],
    extraResources: [{ from: '../../LICENSE', to: 'LICENSE.berth.txt' }],
    extraMetadata: { desktopName: DESKTOP_NAME },

    protocols: [{ name: manifest.productName, schemes: ['berth'] }],
    publish: updateFeed === null ? null : { provider: 'generic', url: updateFeed },
    electronFuses: {
      runAsNode: false,
      // There are no cookies. Encrypting them would open the key store at every start.
      enableCookieEncryption: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
      // Changing the fuses breaks the signature of Electron, and Apple silicon runs no program without one.
      resetAdHocDarwinSignature: true,
    },

    ...linuxPackages(),
    mac: macPackages(updateFeed !== null, env),
    win: {
      target: [{ target: 'nsis', arch: ['x64', 'arm64'] }],
      icon: 'assets/icon.ico',
      forceCodeSigning: updateFeed !== null,
    },
    // The app is installed for the current user only, so no administrator is needed.
    // The script adds “Publish with Berth” to the menu of folders in Explorer.
    nsis: { oneClick: true, perMachine: false, packElevateHelper: false, include: 'build/explorer.nsh' },
  };
}

export default configure(process.env);

type LinuxTargets = NonNullable<NonNullable<Configuration['linux']>['target']>;

function linuxPackages(): Pick<Configuration, 'linux' | 'deb' | 'toolsets'> {
  return {
    linux: {
      target: ['AppImage', 'deb', 'tar.gz'].map((target) => ({
        target,
        arch: ['x64', 'arm64'] as const,
      })) as LinuxTargets,
      executableName: PROGRAM,
      // The desktop matches windows to the `.desktop` file by name.
      syncDesktopName: true,
      icon: 'assets/icons',
      category: 'Network;FileTransfer',
      // File managers offer the app under “Open with” for folders and pages.
      mimeTypes: ['inode/directory', 'text/html'],
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

/** @param updates Whether the package updates itself, which needs a signature. */
function macPackages(updates: boolean, env: NodeJS.ProcessEnv): Configuration['mac'] {
  const isSigned = updates || Boolean(env['CSC_LINK'] || env['CSC_NAME']);
  return {
    // The updater installs from the zip archive.
    target: (updates ? ['dmg', 'zip'] : ['dmg']).map((target) => ({ target, arch: 'universal' })),
    category: 'public.app-category.developer-tools',
    icon: 'assets/icon.icns',
    // The hardened runtime refuses libraries of a package that no certificate signs.
    hardenedRuntime: isSigned,
    ...(isSigned ? {} : { identity: '-' }),
    minimumSystemVersion: '12.0',
    extendInfo: MAC_INFO,
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
