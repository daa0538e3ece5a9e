import type { MessagePort } from 'node:worker_threads';
import type { CommandName } from '../../shared/channels.ts';
import type { Answer } from '../../shared/contract.ts';
import type { Backend, BackendOptions, Emit, Summary } from '../backend.ts';
import type { Keychain, LoginItem, Native } from '../native.ts';

/** What a thread gets at its start. Everything can be cloned. */
export interface EngineData {
  options: Omit<BackendOptions, 'native' | 'emit' | 'fetch' | 'disk'>;
  /** The thread sends a `RemoteRequest` to this port for each request to a server. */
  network: MessagePort;
  /** The address of the program of the threads that read files. */
  disk: string;
}

/** The calls that the main thread sends to the thread of the engine. */
export interface EngineCalls extends Pick<Backend, 'give' | 'onWake' | 'setOnline' | 'setUpdate' | 'close'> {
  /** Opens the backend. @throws Error if stored data cannot be read. */
  open(): Promise<Summary>;
  /** Runs a command. Errors are values, because a thread passes on only the message of an exception. */
  command(name: CommandName, input: unknown): Promise<Answer<unknown>>;
}

/** The calls that the thread of the engine sends to the main thread. */
export interface MainCalls extends Omit<Native, 'keychain' | 'loginItem'>, Keychain {
  /** Passes on an event, with the summary after it; `null` while the backend is opening. */
  emit(name: Parameters<Emit>[0], data: Parameters<Emit>[1], summary: Summary | null): void;
  isLoginItemOn(): ReturnType<LoginItem['isOn']>;
  setLoginItem: LoginItem['set'];
  /** Reports an error that no code of the thread has handled. */
  crashed(error: unknown): void;
}
