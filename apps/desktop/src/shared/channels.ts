/** What the page may ask of the app. The preload has one function for each, and nothing else. */
export const COMMANDS = [
  'readState',
  // Publishing
  'pickFolder',
  'pickFiles',
  'setNextDrop',
  'publish',
  'answerPublishing',
  'cancelPublishing',
  'retryPublishing',
  'dismissPublishing',
  'claimPublishing',
  // Watching
  'suggestName',
  'checkFolder',
  'watch',
  'pauseFolder',
  'resumeFolder',
  'publishFolder',
  'cancelFolder',
  'undoFolder',
  'listVersions',
  'makeLive',
  'changeFolder',
  'locateFolder',
  'showFolder',
  'removeFolder',
  // Sites
  'listDeployments',
  'labelDeployment',
  'deleteDeployment',
  'listDomains',
  'putDomain',
  'verifyDomain',
  'readRecords',
  'shareDomain',
  'deleteDomain',
  'listActivities',
  // Servers and accounts
  'addServer',
  'chooseServer',
  'removeServer',
  'signIn',
  'signOut',
  'refreshAccount',
  // The app
  'changeSettings',
  'copy',
  'openLink',
  'restartToUpdate',
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What the app tells the page. Each of the first five tells a whole part of the state anew. */
export const EVENTS = [
  'publishings',
  'folders',
  'session',
  'settings',
  'update',
  'activity',
  'following',
  'dropTaken',
  'navigate',
  'notice',
] as const;
export type EventName = (typeof EVENTS)[number];

/** The channel of a command, and the one of an event. */
export const commandChannel = (name: CommandName) => `berth:${name}`;
export const eventChannel = (name: EventName) => `berth:on:${name}`;

/** The channel by which the preload, and it alone, turns a dropped file's path into a grant. */
export const GRANT_CHANNEL = 'berth:grant';
