/** The pages that the service sends at the addresses of sites. */
export type PageName =
  | 'unknown-address'
  | 'unknown-page'
  | 'no-front-page'
  | 'expired'
  | 'paused'
  | 'taken-down'
  | 'needs-https'
  | 'malformed'
  | 'fault'
  | 'away';

/** A page of plain text. */
interface PageText {
  title: string;
  /** Paragraphs. */
  text: readonly string[];
}

/** A page of plain text with a link after it. */
interface LinkedPageText extends PageText {
  link: string;
}

/**
 * All texts that visitors of sites read, in one language. A language is one file with a value of this type; a missing text is an
 * error of the compiler.
 */
export interface VisitorTexts {
  pages: Record<PageName, PageText> & Record<'unknown-page', LinkedPageText>;
  /** The page at an address of the service itself that does not exist. */
  unknownServicePage: LinkedPageText;
  /** The link in the footer to the address for reports of abuse. */
  reportAbuse: string;
  /** The sentence before the id of a request that failed. */
  reportRequest: string;
  unlock: {
    title: string;
    /** Precedes the title of the document when there is a problem, because screen readers read the title first. */
    errorPrefix: string;
    intro: string;
    passwordLabel: string;
    submit: string;
    wrong: string;
    foreign: string;
    unreadable: string;
    /** @param duration Such as `5 minutes`, in this language. */
    tooMany(duration: string): string;
    busy(duration: string): string;
  };
}
