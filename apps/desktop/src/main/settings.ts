import { join } from 'node:path';
import { ClientError } from '@berth/client';
import pLimit from 'p-limit';
import { DEFAULT_SETTINGS, Settings } from '../shared/settings.ts';
import type { Handlers } from './backend.ts';
import type { Native } from './native.ts';
import { openJsonFile, type StoreOptions } from './storage/json-file.ts';

export interface SettingsOptions extends StoreOptions {
  native: Pick<Native, 'setTheme' | 'loginItem'>;
  /** Called on every change. */
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
  const file = await openJsonFile<Settings>({ path, schema: Settings, initial: DEFAULT_SETTINGS, onDamaged });

  const opensAtLogin = async () => loginItem.available && (await loginItem.isOn().catch(() => false));

  /** @throws ClientError `refused` if the system does not apply the change; the old value stays in force. */
  async function setOpenAtLogin(on: boolean): Promise<void> {
    const failure = await loginItem.set(on).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (failure === null && (await opensAtLogin()) === on) return;
    const what = on ? 'start the app when you log in' : 'stop starting the app when you log in';
    throw new ClientError('refused', `The system refused to ${what}.`, { cause: failure });
  }

  async function change(input: Partial<Settings>): Promise<Settings> {
    const before = file.value();
    const next = { ...before, ...input };
    const opens = next.openAtLogin !== before.openAtLogin;
    if (opens && !loginItem.available)
      throw new ClientError('refused', 'This system cannot start the app when you log in.');
    if (opens) await setOpenAtLogin(next.openAtLogin);
    try {
      await file.change(() => next);
    } catch (cause) {
      await file.change(() => before).catch(() => {});
      if (opens) await setOpenAtLogin(before.openAtLogin).catch(() => {});
      throw new ClientError('refused', 'The settings cannot be saved. Check that the disk is not full.', { cause });
    }
    native.setTheme(next.theme);
    onChange(next);
    return next;
  }

  const openAtLogin = await opensAtLogin();
  if (file.value().openAtLogin !== openAtLogin) await file.change((kept) => ({ ...kept, openAtLogin })).catch(() => {});
  native.setTheme(file.value().theme);

  const serially = pLimit(1);
  return {
    value: file.value,
    handlers: { changeSettings: (input) => serially(() => change(input)) } satisfies Partial<Handlers>,
  };
}
