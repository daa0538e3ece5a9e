import { type FolderDoubt, inspectFolder, isAppWithoutRoutes } from '@berth/client';
import type { Warning } from '@berth/contract';
import type { Line } from '../terminal.ts';

/** Returns what is probably wrong with a folder before it is published. The file of a warning about the whole folder is `.`. */
export async function findFolderWarnings(folder: string): Promise<Warning[]> {
  const inspection = await inspectFolder(folder);
  if (inspection) return [describeDoubt(inspection)];
  if (!(await isAppWithoutRoutes(folder))) return [];
  const message =
    'The folder looks like a single-page app, whose inner pages are not found if they are opened by their address. To show the app ' +
    'there, add a file _redirects with the line "/* /index.html 200".';
  return [{ file: 'index.html', message }];
}

/** Returns the line that shows a warning of the server or about the folder. */
export function describeWarning({ file, line, at, message }: Warning): Line {
  const place = line === undefined ? (at === undefined ? '' : ` (${at})`) : `:${line}`;
  const text = file === '.' ? message : `${file}${place}: ${message}`;
  return [{ colour: 'yellow', text: `Warning: ${text}` }];
}

function describeDoubt({ about, suggestions }: FolderDoubt): Warning {
  const hint = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
  switch (about) {
    case 'personal':
      return { file: '.', message: `This is a personal folder, and everything in it becomes public.${hint}` };
    case 'project':
      return { file: '.', message: `This looks like the source of a project, not like the built site.${hint}` };
    case 'no-front-page':
      return { file: 'index.html', message: `The folder has no index.html, so the link shows no page.${hint}` };
    default:
      return about satisfies never;
  }
}
