/** A piece of HTML, in which every text is escaped. Created by {@link html}. */
export class Html {
  /** The markup. */
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What {@link html} takes: a text, a piece of HTML, pieces that get a line each, or `null` for nothing. */
export type HtmlValue = string | Html | readonly HtmlValue[] | null;

/**
 * Creates HTML from a template literal. Every text that is inserted is escaped, also within quoted attributes. Only
 * constants of this program are marked as HTML with {@link raw}. Source: security T17.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(markupOf)));
}

/** Marks a constant as HTML, so that it is not escaped. */
export function raw(markup: string): Html {
  return new Html(markup);
}

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return value === null ? '' : value.map(markupOf).join('\n');
}

/** A paragraph with the request id, which the user can report; nothing if the request has no id. */
export function reportNote(requestId: string): Html | null {
  if (requestId === '') return null;
  return html`<p class="report">If this happens again, send this number to the operator of the service: <code>${requestId}</code></p>`;
}
