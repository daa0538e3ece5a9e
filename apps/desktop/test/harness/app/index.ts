/** The entry point of the harness for programs that run the app but are not tests, such as benches. */
export { launchBrowser } from '@berth/testing/browser';
export { buildApp } from '../../../build/build.ts';
export { folderCard, goTo, linkOn, nameFolder, publishingCard } from './cards.ts';
export { startDesktop } from './desktop.ts';
export { compileMain, startMainChild } from './main-child.ts';
