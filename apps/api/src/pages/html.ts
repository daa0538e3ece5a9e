import { ENGLISH } from './languages/english.ts';

/** A piece of HTML with escaped texts. Use {@link html} to create one. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** A value for {@link html}. Lists are joined with line feeds; `null` inserts nothing. */
export type HtmlValue = string | Html | readonly HtmlValue[] | null;

/** Creates HTML from a template literal. Escapes inserted texts, also in quoted attributes. Source: security T17. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(markupOf)));
}

/** Marks a text as HTML, so that it is not escaped. Use it only for constants of this program. */
export function rawHtml(markup: string): Html {
  return new Html(markup);
}

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return value === null ? '' : value.map(markupOf).join('\n');
}

/** Creates a paragraph with the request id, so that users can report it. Returns `null` if the id is empty. */
export function reportNote(requestId: string, sentence = ENGLISH.reportRequest): Html | null {
  if (requestId === '') return null;
  return html`<p class="report">${sentence} <code>${requestId}</code></p>`;
}
