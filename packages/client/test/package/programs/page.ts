// A page that uses the package. A test compiles it outside of this repository, bundles it with Vite and runs it in Chromium.
import { ClientError, createClient, deployDirectory, type DeployEvent, deployFiles } from '@berth/client/browser';

/** The functions that the test calls. */
const calls = {
  async publishFiles(server: string, key: string, sizeBytes: number) {
    const client = createClient({ server, key });
    const files = [
      new File(['from a page'], 'index.html'),
      new File(['SECRET=1'], '.env'),
      { path: 'large.bin', content: new Blob([new Uint8Array(sizeBytes).fill(7)]) },
    ];
    return collect(deployFiles({ client, files, via: 'page' }));
  },

  async publishDirectory(server: string, key: string) {
    const root = await navigator.storage.getDirectory();
    await write(root, 'index.html', 'from a directory');
    await write(root, '.berthignore', 'drafts/\n');
    await write(await root.getDirectoryHandle('docs', { create: true }), 'a.txt', 'in a folder');
    await write(await root.getDirectoryHandle('drafts', { create: true }), 'b.txt', 'ignored');
    return collect(deployDirectory({ client: createClient({ server, key }), directory: root }));
  },

  async abortAfterHashing(server: string, key: string) {
    const stop = new AbortController();
    const files = [new File(['aborted'], 'index.html')];
    try {
      const deploy = deployFiles({ client: createClient({ server, key }), files }, { signal: stop.signal });
      for await (const { type } of deploy) if (type === 'hashed') stop.abort();
      return 'published';
    } catch (error) {
      return error instanceof ClientError ? error.kind : String(error);
    }
  },
};
Object.assign(globalThis, { calls });

async function write(folder: FileSystemDirectoryHandle, name: string, text: string): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const stream = await handle.createWritable();
  await stream.write(text);
  await stream.close();
}

async function collect(events: AsyncGenerator<DeployEvent, { url: string }>) {
  const types: string[] = [];
  const skipped: string[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done) return { url: step.value.url, types: [...new Set(types)], skipped };
    types.push(step.value.type);
    if (step.value.type === 'walked') skipped.push(...step.value.skipped.map(({ path }) => path));
  }
}
