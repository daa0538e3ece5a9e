import { join } from 'node:path';
import {
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
} from 'electron';
import { boundYoungMemory } from './memory.ts';
import { openBackend } from './open-backend.ts';
import { startApp } from './start.ts';

boundYoungMemory();

const electron = {
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
};

// Electron is not ready before this module has been run to its end: nothing is waited for here.
void startApp(electron, { openBackend, dist: join(import.meta.dirname, '..'), process });
