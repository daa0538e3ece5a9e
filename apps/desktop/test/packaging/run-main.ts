// Runs the compiled main process in plain Node. The fake Electron reports a running instance, so that the process exits soon.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, ...chunks] = process.argv.slice(2) as [string, ...string[]];
const NAMES =
  'BrowserWindow clipboard dialog ipcMain Menu nativeImage nativeTheme net Notification powerMonitor safeStorage screen session shell Tray';
const ELECTRON = `
  const said = (word) => () => void console.log(word);
  exports.app = {
    enableSandbox: said('sandbox'),
    setDesktopName: said('name'),
    setAppUserModelId: said('name'),
    requestSingleInstanceLock: () => false,
    quit: said('quit'),
    getVersion: () => '0.1.0',
    getName: () => 'Berth',
    getVersion: () => '1.0.0',
    getPath: () => '/nonexistent',
    setPath() {},
    isPackaged: false,
    commandLine: { hasSwitch: () => false },
    whenReady: () => Promise.resolve(),
  };
  exports.protocol = { registerSchemesAsPrivileged: said('scheme') };
  ${NAMES.split(' ')
    .map((name) => `exports.${name} = class {};`)
    .join('\n')}
`;

const folder = join(dist, 'node_modules/electron');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'index.js'), ELECTRON);
await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
await writeFile(join(dist, 'package.json'), '{ "type": "module" }');

await import(pathToFileURL(join(dist, 'main/index.js')).href);

// Electron sets this property to the folder of the package's resources. This test uses no package.
Object.assign(process, { resourcesPath: dist });
for (const chunk of chunks) {
  const { default: updater } = (await import(pathToFileURL(join(dist, chunk)).href)) as {
    default: { autoUpdater: { checkForUpdates: unknown } };
  };
  process.stdout.write(`updater: ${typeof updater.autoUpdater.checkForUpdates}\n`);
}
