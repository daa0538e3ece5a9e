import type { Publishing } from '@berth/ui/publishing';
import { UPLOAD_SECONDS } from '@berth/contract';
import type { DropOptions } from '../messages.ts';

/** An unfinished upload, which a later page can continue. It never contains a password. */
export interface SavedUpload extends Pick<Publishing, 'id' | 'name' | 'kind' | 'begun'> {
  /** The idempotency key of the upload. */
  key: string;
  isSignedIn: boolean;
  options: Omit<DropOptions, 'password'>;
  /** The folder; absent for files that were listed, which the person must choose again. */
  handle?: FileSystemDirectoryHandle | undefined;
  /** The known hashes of the files. */
  hashes: [identity: string, sha256: string][];
}

const DATABASE = 'berth';
const STORE = 'uploads';

/** The uploads that are kept in the browser until they are finished. Without storage, as in some private windows, none is kept. */
export const savedUploads = {
  async put(upload: SavedUpload): Promise<void> {
    await inStore('readwrite', (store) => store.put(upload)).catch(() => {});
  },

  async remove(id: string): Promise<void> {
    await inStore('readwrite', (store) => store.delete(id)).catch(() => {});
  },

  /** Returns the uploads that the server still has, and removes the others. */
  async list(): Promise<SavedUpload[]> {
    const all = await inStore<SavedUpload[]>('readonly', (store) => store.getAll()).catch(() => []);
    const isOpen = ({ begun }: SavedUpload) => Date.now() - begun < UPLOAD_SECONDS * 1000;
    for (const { id } of all.filter((upload) => !isOpen(upload))) await savedUploads.remove(id);
    return all.filter(isOpen);
  },
};

async function inStore<T = unknown>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(STORE, mode);
    const sent = request(transaction.objectStore(STORE));
    await new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve());
      transaction.addEventListener('abort', () =>
        reject(transaction.error ?? new Error('The transaction was aborted.')),
      );
    });
    return sent.result as T;
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  return new Promise((resolve, reject) => {
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The database cannot be opened.')));
  });
}
