import { ClientError } from '@berth/client';
import { deploymentId, MINUTE, NOW, NOW_SECONDS, siteUrl } from '@berth/ui/testing/samples';
import { problemOf } from '../../../src/main/problem.ts';
import { buildFailed } from '../../../src/main/projects/run-build.ts';
import type { AppState } from '../../../src/shared/contract.ts';
import type { FolderState, WatchedFolder } from '../../../src/shared/folder.ts';
import type { Progress } from '../../../src/shared/progress.ts';
import type { Published, Publishing, PublishingState, Question } from '../../../src/shared/publishing.ts';
import type { Server, SignIn } from '../../../src/shared/session.ts';
import { DEFAULT_SETTINGS } from '../../../src/shared/settings.ts';

export const SERVER = 'https://berth.example';

/** Returns an id of a publish job or a watched folder. Different numbers have different ids. */
export const id = (number: number) => number.toString(16).padStart(16, '0');
export const grantOf = (number: number) => number.toString(16).padStart(32, '0');

export const SIGNED_IN: Extract<SignIn, { is: 'signed-in' }> = {
  is: 'signed-in',
  account: {
    account: 'acc-1',
    email: 'mara@harbour.example',
    name: 'Mara Lind',
    plan: 'pro',
    usage: { deployments: 212, platformDomains: 6, customDomains: 9, seats: 1, storage: 734_003_200 },
    caps: { deployments: 1_000, platformDomains: 50, customDomains: 10, seats: 1, storage: 53_687_091_200 },
    scheduled: null,
    created: NOW_SECONDS - 90 * 86_400,
    hint: '7f3a',
    authMethod: 'api-key',
    used: NOW_SECONDS - 60,
  },
};

export function server(signIn: SignIn = SIGNED_IN, origin: string = SERVER): Server {
  return { origin, signIn };
}

/** Returns the state of an app that is signed in and has not published anything yet. */
export function appState(other: Partial<AppState> = {}): AppState {
  return {
    publishings: [],
    folders: [],
    siteFolders: [],
    session: session(SIGNED_IN),
    settings: { ...DEFAULT_SETTINGS, welcomed: true },
    presetServer: null,
    update: { is: 'none' },
    about: { version: '0.1.0', platform: 'linux', tray: true, canOpenAtLogin: true },
    ...other,
  };
}

/** Returns a session with a sign-in state on the current server. */
export function session(signIn: SignIn, other: Partial<AppState['session']> = {}): AppState['session'] {
  return { servers: [server(signIn)], current: SERVER, keysKept: 'system', online: true, ...other };
}

export const SIGNED_OUT = session({ is: 'signed-out' });

export function publishing(number: number, state: PublishingState, other: Partial<Publishing> = {}): Publishing {
  return {
    id: id(number),
    name: 'dist',
    kind: 'folder',
    begun: NOW - number * 3 * MINUTE,
    state,
    leftOut: [],
    build: null,
    watchable: true,
    ...other,
  };
}

/** Returns a drop that is being published. */
export function workingJob(number: number, name: string, progress: Progress): Publishing {
  return publishing(number, { is: 'working', progress }, { name });
}

export const SENDING: Progress = {
  phase: 'sending',
  done: { files: 40, bytes: 3_400_000 },
  total: { files: 128, bytes: 12_000_000 },
  bytesPerSecond: 2_100_000,
};

/** Returns the progress of an upload of 900 bytes. @param bytes The number of bytes sent so far. */
export const sendingProgress = (bytes: number): Progress => ({
  ...SENDING,
  done: { files: 1, bytes },
  total: { files: 9, bytes: 900 },
});

/** Returns a drop that waits for the answer to a question. */
export function askingJob(
  number: number,
  name: string,
  about: Question['about'],
  suggestions: Question['suggestions'] = [],
): Publishing {
  return publishing(number, { is: 'asking', question: { about, suggestions } }, { name });
}

export function published(number: number, other: Partial<Published> = {}): PublishingState {
  const deployment = deploymentId(number);
  return {
    is: 'published',
    published: {
      deployment,
      url: siteUrl(deployment),
      domain: null,
      server: SERVER,
      files: 128,
      bytes: 3_412_008,
      at: NOW - number * 3 * MINUTE,
      expires: null,
      claim: null,
      password: false,
      copied: false,
      notices: [],
      ...other,
    },
  };
}

/** Returns the problem that the app makes of an error. */
export const problem = (...error: ConstructorParameters<typeof ClientError>) => problemOf(new ClientError(...error));

/** The output of a build that runs. */
export const BUILD_OUTPUT = {
  command: 'npm run build',
  isRunning: true,
  text: `
> harbour-website@1.0.0 build
> vite build

vite v8.3.8 building client environment for production...
transforming (214) src/pages/programme.tsx
rendering chunks (6)...
`,
};

/** The output of a build that failed, and its problem. */
export const FAILED_OUTPUT = {
  command: 'npm run build',
  isRunning: false,
  text: `
> tickets@1.0.0 build
> vite build

vite v8.3.8 building client environment for production...
Could not resolve "./seats.js" from "src/main.js"
`,
};
export const FAILED_BUILD = problemOf(buildFailed(FAILED_OUTPUT.command, 1));

export const UNREACHABLE = problem('network', 'berth.example cannot be reached: connect ECONNREFUSED 203.0.113.7:443.');
export const TOO_LARGE = problem('refused', 'The file is too large.', {
  status: 413,
  file: 'media/opening-night.mp4',
  details: { limit: 'maxFileSize', max: 20_000_000 },
});

export function folder(
  number: number,
  name: string,
  state: FolderState,
  other: Partial<WatchedFolder> = {},
): WatchedFolder {
  return {
    id: id(100 + number),
    name,
    path: `/srv/sites/${name}/dist`,
    server: SERVER,
    domain: name,
    url: `https://${name}.sites.example`,
    labels: [],
    password: false,
    state,
    live: { deployment: deploymentId(number), files: 128, bytes: 3_412_008, at: NOW - number * 2 * MINUTE },
    leftOut: [],
    build: null,
    polling: null,
    needsDns: false,
    ...other,
  };
}
