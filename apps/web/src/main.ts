import { showConsole } from './console.tsx';

// A browser that is too old shows the reason instead. See old-browser.js.
if (document.getElementById('old-browser')!.hidden) showConsole(document.getElementById('root')!);
