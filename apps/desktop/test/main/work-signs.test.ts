import { expect, it } from 'vitest';
import { WorkSigns } from '../../src/main/shell/work-signs.ts';

it('while the app publishes, the system does not suspend it, and the taskbar shows the progress (R9)', () => {
  const calls: string[] = [];
  const signs = new WorkSigns({
    powerSaveBlocker: {
      start: (type) => calls.push(`start ${type}`),
      stop: (id) => calls.push(`stop ${id}`) > 0,
    },
    window: () => ({ isDestroyed: () => false, setProgressBar: (part) => void calls.push(`bar ${part}`) }),
  });
  signs.update({ status: 'idle', progress: null });
  signs.update({ status: 'working', progress: null });
  signs.update({ status: 'working', progress: 0.5 });
  signs.update({ status: 'working', progress: 0.5 });
  signs.update({ status: 'idle', progress: null });
  expect(calls).toEqual(['start prevent-app-suspension', 'bar 2', 'bar 0.5', 'stop 1', 'bar -1']);
});
