import type { Configuration } from 'electron-builder';

/** For each kind of package: the tool that makes it, and the environment variable with the tool's path. */
const TOOLS: Readonly<Record<string, readonly [tool: string, variable: string]>> = {
  AppImage: ['the AppImage tools', 'APPIMAGE_TOOLS_PATH'],
  deb: ['fpm', 'CUSTOM_FPM_PATH'],
  'tar.gz': ['7-Zip', 'ELECTRON_BUILDER_7ZIP_PATH'],
};

/**
 * Creates hooks for a machine without a network. electron-builder downloads Electron and its tools when it first needs them. Without
 * a network, it retries for a long time, and its error names only a URL. These hooks fail immediately and name the missing tool.
 *
 * @param env The environment variables with the paths of the tools.
 */
export function noDownloads(env: NodeJS.ProcessEnv): Pick<Configuration, 'artifactBuildStarted' | 'beforePack'> {
  return {
    beforePack: async ({ packager }) => {
      if (!packager.config.electronDist)
        throw new Error(
          `Electron ${packager.config.electronVersion} is missing: set BERTH_ELECTRON_DIST to its folder`,
        );
    },
    artifactBuildStarted: async ({ targetPresentableName: target }) => {
      const [tool, variable] = TOOLS[target] ?? [];
      if (variable === undefined) throw new Error(`${target} cannot be built offline`);
      if (!env[variable]) throw new Error(`${target} needs ${tool}: set ${variable} to the path`);
    },
  };
}
