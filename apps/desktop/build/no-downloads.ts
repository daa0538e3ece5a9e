import type { Configuration } from 'electron-builder';

/** What a package is made with, and the variable that says where it is on this machine. */
const TOOLS: Readonly<Record<string, readonly [tool: string, variable: string]>> = {
  AppImage: ['the AppImage tools', 'APPIMAGE_TOOLS_PATH'],
  deb: ['fpm', 'CUSTOM_FPM_PATH'],
  'tar.gz': ['7-Zip', 'ELECTRON_BUILDER_7ZIP_PATH'],
};

/**
 * Hooks for a machine without a network. electron-builder fetches Electron and its tools when it first needs them, and tries for
 * long before it fails, with an address for a reason. These fail at once, with the name of what is not there.
 *
 * @param env Where each tool is.
 */
export function noDownloads(env: NodeJS.ProcessEnv): Pick<Configuration, 'artifactBuildStarted' | 'beforePack'> {
  return {
    beforePack: async ({ packager }) => {
      if (!packager.config.electronDist)
        throw new Error(
          `Electron ${packager.config.electronVersion} is not here: set BERTH_ELECTRON_DIST to its folder`,
        );
    },
    artifactBuildStarted: async ({ targetPresentableName: target }) => {
      const [tool, variable] = TOOLS[target] ?? [];
      if (variable === undefined) throw new Error(`${target} cannot be made without downloads`);
      if (!env[variable]) throw new Error(`${target} needs ${tool}, and nothing is downloaded: set ${variable}`);
    },
  };
}
