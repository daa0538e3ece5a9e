import { showConsole } from './console.tsx';

showConsole(document.getElementById('root')!);
