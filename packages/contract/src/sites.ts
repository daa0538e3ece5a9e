import { z } from 'zod';
import { Timestamp } from './timestamp.ts';
import { openEnum } from './open-enum.ts';
import { NextCursor, PageQuery } from './pages.ts';

/**
 * What visitors of a site see. `live` also includes sites with a password and sites that expire. `pending`, `partial` and
 * `paused` are states of the domain.
 */
export const SITE_STATES = ['live', 'empty', 'pending', 'partial', 'paused', 'taken-down', 'deleting'] as const;
export type SiteState = (typeof SITE_STATES)[number];

/** The maximum number of characters of the title of a site. */
export const MAX_SITE_TITLE = 200;

/** The site at one address: a domain, or the own address of a deployment. */
export const Site = z
  .object({
    site: z
      .string()
      .describe('The name of the domain; or the id of the deployment, if the address is its own.')
      .meta({ example: 'www.example.com' }),
    url: z.url().describe('The address of the site.').meta({ example: 'https://www.example.com' }),
    domain: z.string().nullable().describe('The domain; null for the own address of a deployment.'),
    deployment: z
      .string()
      .nullable()
      .describe('The deployment that the address shows; null for a domain that points at none.')
      .meta({ example: 'calm-otter-4k9x2qd' }),
    state: openEnum(SITE_STATES).describe(
      '`live`: visitors see the deployment. `empty`: the domain points at no deployment. `pending`, `partial`, `paused`: the status of the domain. `taken-down`: the operator has taken the deployment down. `deleting`: its files are being removed.',
    ),
    title: z
      .string()
      .nullable()
      .describe(
        `The title of the front page, at most ${MAX_SITE_TITLE} characters; null if it has none. Read shortly after a deploy.`,
      )
      .meta({ example: 'Ada’s notes' }),
    icon: z
      .string()
      .nullable()
      .describe(
        'The icon of the front page as a `data:` URL of an image of at most 16 KiB, for an `img` element; null if it has none. Read shortly after a deploy.',
      )
      .meta({ example: 'data:image/png;base64,iVBORw0KGgo=' }),
    reading: z.boolean().describe('True while the title and the icon of the front page are being read.'),
    password: z.boolean().describe('True when visitors need a password.'),
    labels: z.array(z.string()).describe('The labels of the domain; or of the deployment, if the address is its own.'),
    changed: Timestamp.describe('When the address began to show this deployment, in Unix seconds.'),
    files: z.int().nullable().describe('Number of files; null for a domain that points at no deployment.'),
    size: z.int().nullable().describe('Sum of the file sizes, in bytes; null like `files`.'),
    expires: Timestamp.optional().describe('Present if the deployment expires.'),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof Site>;

/** The query of `GET /sites`. */
export const SiteQuery = PageQuery.extend({
  search: z
    .string()
    .max(200, 'search must have at most 200 characters')
    .refine((text) => !text.includes('\0'), 'search must not contain a null character')
    .describe(
      'Lists only the sites with this text in the domain, the deployment id, the title or a label. Letter case does not matter.',
    )
    .optional(),
});
export type SiteQuery = z.output<typeof SiteQuery>;
export const SiteList = z.object({ sites: z.array(Site), nextCursor: NextCursor }).meta({ id: 'SiteList' });
export type SiteList = z.infer<typeof SiteList>;

/** The body of the response to `DELETE /sites/{site}`. */
export const DeletedSite = z
  .object({
    site: z.string().describe('The domain, or the id of the deployment, that was deleted.'),
    deployments: z.array(z.string()).describe('The ids of the deployments whose files are being removed.'),
  })
  .meta({ id: 'DeletedSite' });
export type DeletedSite = z.infer<typeof DeletedSite>;

export const SitePath = z.object({
  site: z
    .string()
    .max(8_000, 'a site must be given by its domain, or by the id of its deployment')
    .describe('The domain, as Unicode or punycode; or the id of the deployment. Letter case does not matter.')
    .meta({ example: 'www.example.com' }),
});
