import { join } from 'node:path';
import { ClientError } from '@berth/client';
import pLimit from 'p-limit';
import { z } from 'zod';
import { DEFAULT_SETTINGS, Settings } from '../shared/settings.ts';
import type { Handlers } from './backend.ts';
import type { Native } from './native.ts';
import { orRefuse } from './problem.ts';
import { openJsonFile, type StoreOptions } from './storage/json-file.ts';

/** Settings of an earlier version of the app have no `welcomed`. Their user has completed the first run. */
const StoredSettings = Settings.extend({ welcomed: z.boolean().default(true) });

interface SettingsOptions extends StoreOptions {
  native: Pick<Native, 'setTheme' | 'loginItem'>;
  /** Called with the new settings on every change. */
  onChange(settings: Settings): void;
}

/**
 * Loads the settings and applies them. `openAtLogin` is read from the system and overrides the stored value.
 *
 * @throws Error when `settings.json` cannot be read. Source: desktop §2.
 */
export async function openSettings({ native, dataDir, onChange, onDamaged }: SettingsOptions) {
  const { loginItem } = native;
  const path = join(dataDir, 'settings.json');
  const file = await openJsonFile<Settings>({
    path,
    schema: StoredSettings,
    initialValue: DEFAULT_SETTINGS,
    onDamaged,
  });

  const opensAtLogin = async () => loginItem.available && (await loginItem.isOn().catch(() => false));

  /** Changes the setting in the system. @throws ClientError `refused` if the system does not apply the change. */
  async function setOpenAtLogin(on: boolean): Promise<void> {
    const message = on
      ? 'The system refused to start the app when you log in.'
      : 'The system still starts the app when you log in.';
    await orRefuse(loginItem.set(on), message);
    if ((await opensAtLogin()) !== on) throw new ClientError('refused', message);
  }

  async function changeSettings(input: Partial<Settings>): Promise<Settings> {
    const oldSettings = file.value();
    const newSettings = { ...oldSettings, ...input };
    const isLoginChanged = newSettings.openAtLogin !== oldSettings.openAtLogin;
    if (isLoginChanged && !loginItem.available)
      throw new ClientError('refused', 'This system cannot start the app when you log in.');
    if (isLoginChanged) await setOpenAtLogin(newSettings.openAtLogin);
    try {
      await file.change(() => newSettings);
    } catch (cause) {
      await file.change(() => oldSettings).catch(() => {});
      if (isLoginChanged) await setOpenAtLogin(oldSettings.openAtLogin).catch(() => {});
      throw new ClientError('refused', 'The settings cannot be saved. Check that the disk is not full.', { cause });
    }
    native.setTheme(newSettings.theme);
    onChange(newSettings);
    return newSettings;
  }

  const openAtLogin = await opensAtLogin();
  if (file.value().openAtLogin !== openAtLogin) await file.change((kept) => ({ ...kept, openAtLogin })).catch(() => {});
  native.setTheme(file.value().theme);

  const serially = pLimit(1);
  return {
    value: file.value,
    handlers: { changeSettings: (input) => serially(() => changeSettings(input)) } satisfies Partial<Handlers>,
  };
}
