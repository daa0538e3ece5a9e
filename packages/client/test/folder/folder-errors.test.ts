import { expect, it } from 'vitest';
import { unreadableError } from '../../src/folder/folder-errors.ts';

const denied = (code: string) => Object.assign(new Error('operation not permitted'), { code });

it('a file that macOS protects names the setting that allows access (R19)', () => {
  expect(unreadableError('index.html', denied('EPERM'), 'darwin').message).toBe(
    'index.html: macOS does not allow access; allow it in System Settings, under Privacy & Security, Files and Folders, then try again.',
  );
  expect(unreadableError('index.html', denied('EACCES'), 'darwin').message).toBe('index.html: permission denied.');
  expect(unreadableError('index.html', denied('EPERM'), 'linux').message).toBe('index.html: permission denied.');
});
