import { registerHooks } from 'node:module';

// What imports Electron in this process gets what a preload has of it.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('preload-electron.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
