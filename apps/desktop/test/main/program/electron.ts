import { createFakeElectron } from '../../harness/fake-electron.ts';

Object.assign(process, { resourcesPath: process.env['BERTH_TEST_HOME'] });

/** The fake that replaces Electron in this process. */
export const fake = createFakeElectron({ home: process.env['BERTH_TEST_HOME']! });

export const {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} = fake.electron;
