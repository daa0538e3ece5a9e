import type { Answer } from '../../../src/shared/contract.ts';
import { answers, exposed, invoked, ipcRenderer } from './preload-electron.ts';

await import('../../../src/preload/index.ts');
const desktop = exposed.get('desktop')!;

const brief = (answer: Answer<unknown>) => (answer.ok ? answer : { ok: false, kind: answer.problem.kind });
const files = (...paths: (string | undefined)[]) => paths.map((path) => ({ path }) as unknown as File);

const received: unknown[][] = [];
const stop = desktop.events.navigate((...args) => received.push(args));
ipcRenderer.emit('berth:on:navigate', { sender: ipcRenderer }, { page: 'sites' });
stop();
ipcRenderer.emit('berth:on:navigate', { sender: ipcRenderer }, { page: 'folders' });

await desktop.commands.copy({ text: 'a' });
await desktop.grant(files('/home/me/site', '', undefined));
const [copied, granted] = invoked.splice(0);
const tooMany = brief(await desktop.grant(Array.from({ length: 1_001 }, () => files('/a')[0]!)));
const wasInvoked = invoked.length > 0;
const notFiles = brief(await desktop.grant(null as unknown as File[]).catch(() => ({ ok: true, value: 'it rejects' })));
answers.broken = true;
const unanswered = brief(await desktop.commands.readState());

process.stdout.write(
  JSON.stringify({
    exposed: [...exposed.keys()],
    parts: Object.keys(desktop),
    commands: Object.keys(desktop.commands),
    events: Object.keys(desktop.events),
    invoked: copied,
    received,
    receivedAfterwards: received.length,
    granted,
    tooMany: { ...tooMany, asked: wasInvoked },
    unanswered,
    notFiles,
  }),
);
