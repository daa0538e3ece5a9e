import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { findFilesOfPage, type FolderDoubt, inspectFolder, isAppWithoutRoutes, isHtmlFile } from '@berth/client';
import type { Warning } from '@berth/contract';
import type { Line } from '../terminal.ts';

/**
 * Returns what is probably wrong with a folder or an HTML file before it is published. The file of a warning about the whole
 * folder is `.`.
 */
export async function findFolderWarnings(folder: string): Promise<Warning[]> {
  if (isHtmlFile(folder) && (await stat(folder).catch(() => null))?.isFile()) return findPageWarnings(folder);
  const inspection = await inspectFolder(folder);
  if (inspection) return [describeDoubt(inspection)];
  if (!(await isAppWithoutRoutes(folder))) return [];
  const message =
    'The folder looks like a single-page app, whose inner pages are not found if they are opened by their address. To show the app ' +
    'there, add a file _redirects with the line "/* /index.html 200".';
  return [{ file: 'index.html', message }];
}

const MAX_NAMED_FILES = 3;

async function findPageWarnings(page: string): Promise<Warning[]> {
  const files = await findFilesOfPage(page);
  if (files.length === 0) return [];
  const more = files.length > MAX_NAMED_FILES ? ` and ${files.length - MAX_NAMED_FILES} more` : '';
  const names = files.slice(0, MAX_NAMED_FILES).join(', ') + more;
  return [
    {
      file: basename(page),
      message: `The page refers to ${names}, and only the page is published. Publish its folder instead.`,
    },
  ];
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
