/** The door of the harness, for what runs the app and is no test. */
export { launchBrowser } from '../../../../api/test/sites/browser.ts';
export { folderCard, goTo, linkOn, nameFolder, publishingCard } from './cards.ts';
export { startDesktop } from './desktop.ts';
export { startMainChild } from './main-child.ts';
export { compileMain, compileWindow } from './scripts.ts';
