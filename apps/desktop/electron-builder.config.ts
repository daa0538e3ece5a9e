import type { Configuration } from 'electron-builder';
import manifest from './package.json' with { type: 'json' };
import { noDownloads } from './build/no-downloads.ts';
import { APP_ID, DESKTOP_NAME, PROGRAM } from './src/main/shell/identity.ts';

/**
 * How the app is packaged for the three systems.
 *
 * @param env `BERTH_UPDATE_FEED`: the folder on the web where the newest packages are, an `https:` address. Without it a package
 * has nobody to ask for updates, and does not ask. With it a package for macOS or Windows has to be signed.
 * `BERTH_ELECTRON_DIST`: a folder with Electron, which is downloaded otherwise. `BERTH_NO_DOWNLOADS`: nothing is.
 * @throws Error when the feed is not such an address. Source: design of the desktop app, §4.
 */
export function configure(env: NodeJS.ProcessEnv): Configuration {
  const feed = feedOf(env['BERTH_UPDATE_FEED']);
  const signed = feed !== null;
  return {
    appId: APP_ID,
    productName: manifest.productName,
    copyright: `Copyright © ${manifest.author.name}`,
    electronVersion: manifest.devDependencies.electron,
    electronDist: env['BERTH_ELECTRON_DIST'] || null,
    ...(env['BERTH_NO_DOWNLOADS'] ? noDownloads(env) : {}),
    directories: { buildResources: 'assets', output: 'release' },
    artifactName: `${PROGRAM}-\${version}-\${os}-\${arch}.\${ext}`,

    // Everything is compiled into `dist`: no modules are looked for, installed or rebuilt.
    files: ['dist/**', 'package.json', '!**/*.map'],
    beforeBuild: async () => false,
    asar: true,
    extraResources: [{ from: '../../LICENSE', to: 'LICENSE.berth.txt' }],
    extraMetadata: { desktopName: DESKTOP_NAME },

    protocols: [{ name: manifest.productName, schemes: ['berth'] }],
    publish: feed === null ? null : { provider: 'generic', url: feed },
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

    linux: {
      target: ['AppImage', 'deb', 'tar.gz'],
      executableName: PROGRAM,
      // The name of the `.desktop` file is the one by which the desktop knows the windows.
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
      // Asks the desktop whether it shows icons in a tray.
      recommends: ['libglib2.0-bin'],
    },
    // The runtime that needs no FUSE 2, which newer systems do not have.
    toolsets: { appimage: '1.0.3' },

    mac: {
      // Updates come as an archive.
      target: (feed === null ? ['dmg'] : ['dmg', 'zip']).map((target) => ({ target, arch: 'universal' })),
      category: 'public.app-category.developer-tools',
      icon: 'assets/icon.icns',
      hardenedRuntime: true,
      entitlements: 'build/entitlements.mac.plist',
      entitlementsInherit: 'build/entitlements.mac.plist',
      forceCodeSigning: signed,
    },

    win: { target: ['nsis'], icon: 'assets/icon.ico', forceCodeSigning: signed },
    // For the user alone: nobody is asked for an administrator.
    nsis: { oneClick: true, perMachine: false, packElevateHelper: false },
  };
}

export default configure(process.env);

function feedOf(address: string | undefined): string | null {
  if (address === undefined || address === '') return null;
  if (URL.parse(address)?.protocol !== 'https:')
    throw new Error(`BERTH_UPDATE_FEED has to be an https: address, and is ${JSON.stringify(address)}`);
  return address;
}
