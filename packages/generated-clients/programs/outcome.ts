/** A site, as files and as a zip archive of them. */
export interface Site {
  files: File[];
  zip: Blob;
}

/** What a program saw. */
export interface Outcome {
  /** The addresses of the sites that it published as an archive, and of those that it published as a form. */
  published: string[];
  /** The addresses of all deployments of the account, from all pages of the list, in their order. */
  listed: string[];
  pages: number;
  /** The message of the 404 for a deployment that does not exist. */
  missing: string;
  /** The field that the 400 for an invalid label names. */
  invalidField: string;
}

/** A program over a generated client. It uses the types as they are generated, without any assertion. */
export type Program = (server: { baseUrl: string; key: string }, sites: readonly Site[]) => Promise<Outcome>;
