import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { MainOptions, MainProcess } from './main-process.ts';
import type { Measurements, MethodCall, Methods, ProgramMessage } from './main-program.ts';

/** The main process of the app in a child process. */
export interface MainChild extends MainProcess {
  /** Measures the peak memory, and the longest stall of the event loop since the last call. */
  measure(): Promise<Measurements>;
}

/** Compiles `main-program.ts` and the app's main process with the app's build options. @returns The path of the program. */
export async function compileMain(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: {
          'main-program': join(import.meta.dirname, 'main-program.ts'),
          engine: join(import.meta.dirname, '../../../src/main/engine/index.ts'),
          disk: join(import.meta.dirname, '../../../src/main/engine/disk.ts'),
        },
        external: ['electron'],
        output: { entryFileNames: '[name].js', format: 'es' },
      },
    },
    ssr: { noExternal: true, target: 'node' },
  });
  return join(outDir, 'main-program.js');
}

/** Starts the app in a child process. @param program The path from {@link compileMain}. @throws Error if the app does not start. */
export async function startMainChild(options: MainOptions, program: string): Promise<MainChild> {
  const { home, server, dist, watchRule } = options;
  const addressOf = (name: string) => pathToFileURL(join(dirname(program), name)).href;
  const programs = { engine: addressOf('engine.js'), disk: addressOf('disk.js') };
  const child = fork(program, [JSON.stringify({ home, server, dist, watchRule, programs } satisfies MainOptions)], {
    serialization: 'advanced',
    execArgv: [],
  });
  const answers = new Map<number, PromiseWithResolvers<unknown>>();
  const startMessage = Promise.withResolvers<ProgramMessage & { kind: 'started' }>();
  let lastId = 0;
  let onSent: (channel: string, data: unknown) => void = () => {};
  child.on('message', (message: ProgramMessage) => {
    if (message.kind === 'started') startMessage.resolve(message);
    else if (message.kind === 'page-message') onSent(message.channel, message.data);
    else answers.get(message.id)?.resolve(message.value);
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    const error = new Error(`The main process ended with ${code ?? signal}`);
    startMessage.reject(error);
    for (const { reject } of answers.values()) reject(error);
  });
  const callMethod = <M extends keyof Methods>(method: M, ...args: Parameters<Methods[M]>): ReturnType<Methods[M]> => {
    const id = (lastId += 1);
    const answer = Promise.withResolvers<unknown>();
    answers.set(id, answer);
    child.send({ id, method, args } satisfies MethodCall);
    return answer.promise as ReturnType<Methods[M]>;
  };
  return {
    ...(await startMessage.promise),
    async serve(address, headers) {
      const { body, ...init } = await callMethod('serve', address, headers);
      return new Response(body, init);
    },
    invoke: (channel, input) => callMethod('invoke', channel, input),
    measure: () => callMethod('measure'),
    onSend: (listener) => void (onSent = listener),
    async quit() {
      void callMethod('quit').catch(() => {});
      await exited;
    },
  };
}
