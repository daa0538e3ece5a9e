import { DeletedSite, Site, SiteList, SitePath, SiteQuery } from '@berth/contract';
import { deleteSite } from '../services/deployments/delete-site.ts';
import { getSite, listSites } from '../services/sites/list-sites.ts';
import { accountProcedure, operations, router } from './trpc.ts';

const op = operations('Sites', accountProcedure);

/** The procedures for sites: what the account shows at each of its addresses. Source: api §3, §4. */
export const sites = router({
  list: op('GET /sites', 'List sites, the most recently changed first', {
    success: 'One page of sites.',
    description:
      'One site for each domain, and one for each deployment that no domain of the account shows or has shown: earlier versions of a domain are in `GET /domains/{domain}/versions`.',
  })
    .input(SiteQuery.prefault({}))
    .output(SiteList)
    .query(({ ctx, input }) => listSites(ctx, input)),

  get: op('GET /sites/{site}', 'Read a site', {
    success: 'The site.',
    description: 'Every domain and every deployment of the account can be read, also earlier versions of a domain.',
  })
    .input(SitePath)
    .output(Site)
    .query(({ ctx, input }) => getSite(ctx, input.site)),

  delete: op('DELETE /sites/{site}', 'Delete a site', {
    success: 'The address no longer works, and the files are being removed.',
    description:
      'A domain is deleted with every deployment that it showed, except those that another domain shows. A deployment is deleted as by `DELETE /deployments/{deployment}`. Either everything is deleted or nothing.',
    errorResponses: {
      422: 'Domains still point at the deployment. Delete the site of the domain, or link it to another deployment.',
    },
    status: 202,
  })
    .input(SitePath)
    .output(DeletedSite)
    .mutation(({ ctx, input }) => deleteSite(ctx, input.site)),
});
