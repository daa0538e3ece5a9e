import { registerHooks } from 'node:module';

// Replaces imports of Electron in this process with the part that a preload can use.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('preload-electron.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
