import {
  DeletedDeployment,
  Deployment,
  DeploymentList,
  DeploymentPatch,
  DeploymentPath,
  PageQuery,
} from '@berth/contract';
import {
  deleteDeployment,
  getDeployment,
  listDeployments,
  updateDeployment,
} from '../services/deployments/deployments.ts';
import { accountProcedure, router } from './trpc.ts';

const tags = ['Deployments'];

/** Published sites. `POST /deployments` is multipart and has a route of its own. Source: service-api part 4. */
export const deployments = router({
  list: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/deployments',
        summary: 'List deployments, newest first',
        tags,
        successDescription: 'One page of deployments.',
      },
    })
    .input(PageQuery.prefault({}))
    .output(DeploymentList)
    .query(({ ctx, input }) => listDeployments(ctx, input)),

  get: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/deployments/{deployment}',
        summary: 'Read a deployment',
        tags,
        successDescription: 'The deployment.',
      },
    })
    .input(DeploymentPath)
    .output(Deployment)
    .query(({ ctx, input }) => getDeployment(ctx, input.deployment)),

  update: accountProcedure
    .meta({
      openapi: {
        method: 'PATCH',
        path: '/deployments/{deployment}',
        summary: 'Replace the labels of a deployment',
        tags,
        successDescription: 'The deployment with its new labels.',
        errorResponses: {
          422: 'The deployment is being deleted.',
        },
      },
    })
    .input(DeploymentPatch)
    .output(Deployment)
    .mutation(({ ctx, input }) => updateDeployment(ctx, input.deployment, { labels: input.labels })),

  delete: accountProcedure
    .meta({
      openapi: {
        method: 'DELETE',
        path: '/deployments/{deployment}',
        summary: 'Delete a deployment',
        description:
          'The site answers 404 at once; its bytes are cleaned up afterwards. Repeating it is 202 again while the row lasts.',
        tags,
        successDescription: 'The site is gone; its clean-up goes on.',
        errorResponses: {
          422: 'A domain points at the deployment: link it to another one, or delete it, first.',
        },
      },
      status: 202,
    })
    .input(DeploymentPath)
    .output(DeletedDeployment)
    .mutation(({ ctx, input }) => deleteDeployment(ctx, input.deployment)),
});
