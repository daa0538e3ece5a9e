/** How projects are built: the framework, the build command and the folder of the built site. */
export { type BuildPlan, detectBuild } from './frameworks.ts';
export { watchSources } from './watch-sources.ts';
export { exists, readJson, readText } from './read-file.ts';
