import {
  AbortedUpload,
  AbortUpload,
  BeginUpload,
  BegunUpload,
  CommitUpload,
  CreatedDeployment,
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
import { fileListSize, refuseLongFileLists } from '../services/deployments/file-lists.ts';
import { abortUpload } from '../services/uploads/abort-upload.ts';
import { beginUpload } from '../services/uploads/begin-upload.ts';
import { commitUpload } from '../services/uploads/commit-upload.ts';
import { accountProcedure, deployProcedure, router } from './trpc.ts';

const tags = ['Deployments'];
const uploads = ['Uploads'];

/**
 * A procedure whose input lists files. Lists that are longer than the plan allows are refused before they are
 * validated.
 */
const fileListProcedure = deployProcedure.use(async ({ ctx, getRawInput, next }) => {
  refuseLongFileLists(ctx.core, ctx.caller, await getRawInput());
  return next();
});

/**
 * Deployments. `POST /deployments` is multipart and has a route of its own, as do the contents of uploads. Source:
 * service-api part 4; contract §9.
 */
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

  begin: fileListProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/uploads',
        summary: 'Begin an upload that sends only what is missing',
        description:
          'Names every file by its path, size and SHA-256, in `files`; or, against a deployment of the same account, only what changed: `base`, `put`, `remove`. The answer names the contents that are still to be sent, to `PUT /uploads/{upload}/contents`. What this account uploaded recently need not be sent again; what others have stored makes no difference.\n\nWith an `Idempotency-Key` the same files and options resume the same upload, and `missing` is what it still needs. An upload can be committed for 24 hours. It counts as a deploy; its commit does not. Its contents count as storage from now on.\n\nA credential has at most 20 open uploads, an address without one 3. One more replaces the upload that has been idle longest, if that is over 10 minutes.',
        tags: uploads,
        keyed: true,
        successDescription: 'The upload, and what is still to be sent.',
        errorResponses: {
          403: 'A cap of the plan is reached: deployments or storage; or, without a credential, `ttl` was given, or a page of another site asks.',
          413: 'The upload crosses a limit of the plan. `details.limit` names it, and `details.file` the file if it is one.',
          422: 'The `Idempotency-Key` was used for another upload; the base was taken down; or a deploy token sets a password beside a protected base.',
          429: 'Deploys are counted as well: by credential, and more strictly by address where there is none. Or too many uploads are open.',
        },
      },
      status: 201,
      bodySize: fileListSize,
    })
    .input(BeginUpload)
    .output(BegunUpload)
    .mutation(({ ctx, input }) => beginUpload(ctx, input)),

  commit: deployProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/uploads/{upload}/commit',
        summary: 'Publish an upload as a new deployment',
        description:
          'All or nothing. Repeating it answers the same deployment again, for 24 hours; there is never a second one.',
        tags: uploads,
        successDescription: 'Published: the site is served from now on.',
        errorResponses: {
          403: 'A cap of the plan is reached: deployments or storage; or, without a credential, a page of another site asks.',
          422: 'Contents are missing; `details.missing` says how many. `POST /uploads` with the same `Idempotency-Key` names them.',
        },
      },
      status: 201,
    })
    .input(CommitUpload)
    .output(CreatedDeployment)
    .mutation(({ ctx, input }) => commitUpload(ctx, input.upload)),

  abort: deployProcedure
    .meta({
      openapi: {
        method: 'DELETE',
        path: '/uploads/{upload}',
        summary: 'Drop an upload that is not committed',
        description: 'It stops counting as storage at once, and its bytes are cleaned up. Repeating it is 404.',
        tags: uploads,
        successDescription: 'The upload is dropped.',
        errorResponses: {
          403: 'Without a credential, a page of another site asks.',
          422: 'The upload was committed: delete its deployment instead.',
        },
      },
    })
    .input(AbortUpload)
    .output(AbortedUpload)
    .mutation(({ ctx, input }) => abortUpload(ctx, input.upload)),
});
