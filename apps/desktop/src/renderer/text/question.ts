import type { FolderQuestion, Question } from '../../shared/publishing.ts';

const FOLDER_QUESTIONS: Record<FolderQuestion['about'], string> = {
  'no-front-page': 'There’s no index.html here, so the link would show an error page.',
  project: 'This looks like a project’s source, not its build output.',
  personal: 'This looks like a personal folder. Everything in it would be public.',
};

/** Explains why the app asks about a folder, and asks about suggestions if there are any. */
export function folderQuestionText({ about, suggestions }: Pick<FolderQuestion, 'about' | 'suggestions'>): string {
  return suggestions.length === 0 ? FOLDER_QUESTIONS[about] : `${FOLDER_QUESTIONS[about]} Did you mean one of these?`;
}

/** The heading and the text of a question. */
export function questionText({ about, suggestions }: Question): [heading: string, text: string] {
  if (about === 'pasted') return ['Publish this?', 'You pasted this. Nothing is public until you publish it.'];
  return ['Is this the right folder?', folderQuestionText({ about, suggestions })];
}
