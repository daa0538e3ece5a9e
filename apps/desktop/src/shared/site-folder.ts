import { z } from 'zod';

/** The folder on this computer from which a site was published last. */
export const SiteFolder = z.object({
  /** The origin of the server. */
  server: z.url(),
  /** The deployment that was published. */
  deployment: z.string(),
  /** The domain at which the folder was published; `null` for the own address of the deployment. */
  domain: z.string().nullable(),
  name: z.string(),
  /** The path, which is only displayed: no command takes a path. */
  path: z.string(),
});
export type SiteFolder = z.infer<typeof SiteFolder>;
