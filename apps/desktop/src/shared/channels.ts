/** The commands that the page may send to the app. The preload exposes one function for each. */
export const COMMANDS = [
  'readState',
  // Commands that publish, or change a publish job
  'pickFolder',
  'pickFiles',
  'setNextDrop',
  'publish',
  'answerPublishing',
  'updatePublishing',
  'buildPublishing',
  'publishSiteAgain',
  'showSiteFolder',
  'cancelPublishing',
  'retryPublishing',
  'dismissPublishing',
  'claimPublishing',
  'keepPublishing',
  'publishSample',
  // Commands for watched folders
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
  // Commands for sites and domains
  'labelDeployment',
  'deleteDeployment',
  'listDomains',
  'putDomain',
  'verifyDomain',
  'readRecords',
  'shareDomain',
  'deleteDomain',
  'listActivities',
  'listSites',
  'readSite',
  'deleteSite',
  'readDeployment',
  'changeDeployment',
  'readChanges',
  'listDomainVersions',
  'readDomain',
  'validateDomain',
  'readProvider',
  // Commands for servers and accounts
  'checkServer',
  'addServer',
  'chooseServer',
  'removeServer',
  'beginSignIn',
  'awaitSignIn',
  'cancelSignIn',
  'signIn',
  'signOut',
  'refreshAccount',
  // Commands for the app as a whole
  'changeSettings',
  'copy',
  'openLink',
  'showWindow',
  'restartToUpdate',
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** The events that the app sends to the page. Each of the first six carries a complete part of the state. */
export const EVENTS = [
  'publishings',
  'folders',
  'siteFolders',
  'session',
  'settings',
  'update',
  'activity',
  'following',
  'dropTaken',
  'navigate',
  'problem',
] as const;
export type EventName = (typeof EVENTS)[number];

/** The IPC channels of a command and of an event. */
export const commandChannel = (name: CommandName) => `berth:${name}`;
export const eventChannel = (name: EventName) => `berth:on:${name}`;

/** The channel on which the preload turns the path of a dropped file into a grant. Only the preload uses it. */
export const GRANT_CHANNEL = 'berth:grant';
