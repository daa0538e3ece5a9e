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
          'The site returns 404 at once; its bytes are removed later. A repeated request returns 202 until then.',
        tags,
        successDescription: 'The site is no longer served. Its bytes are removed later.',
        errorResponses: {
          422: 'A domain points at the deployment. Link the domain to another deployment or delete it first.',
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
        summary: 'Begin an upload of only the missing contents',
        description:
          'Lists every file with its path, size and SHA-256 in `files`, or only the changes to a deployment of the same account in `base`, `put` and `remove`. The response lists the missing contents, which the client sends to `PUT /uploads/{upload}/contents`. Contents that this account uploaded recently are not missing; contents of other accounts make no difference.\n\nWith an `Idempotency-Key`, a repeated request with the same files and options resumes the upload, and `missing` lists what it still needs. An upload can be committed for 24 hours. It counts as a deploy; its commit does not. Its contents count as storage from the start.\n\nA credential has at most 20 open uploads, an anonymous address at most 3. A further one replaces the upload that has been idle longest, if it has been idle for over 10 minutes.',
        tags: uploads,
        keyed: true,
        successDescription: 'The upload and its missing contents.',
        errorResponses: {
          403: 'A cap of the plan is reached: deployments or storage. Or the request has no credential, and sets `ttl` or comes from a page of another site.',
          413: 'The upload exceeds a limit of the plan. `details.limit` names the limit, and `details.file` the file if one file is too large.',
          422: 'The `Idempotency-Key` was used for another upload; the base was taken down; or a deploy token sets a password although the base has one.',
          429: 'Deploys also have a limit: per credential, and a lower one per address for anonymous clients. Or too many uploads are open.',
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
          'Publishes all files or nothing. For 24 hours, a repeated commit returns the same deployment; it never creates a second one.',
        tags: uploads,
        successDescription: 'The new deployment. Its site is served from now on.',
        errorResponses: {
          403: 'A cap of the plan is reached: deployments or storage. Or the request has no credential and comes from a page of another site.',
          422: 'Contents are missing; `details.missing` is their number. `POST /uploads` with the same `Idempotency-Key` lists them.',
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
        summary: 'Abort an upload',
        description:
          'It stops counting as storage at once, and its bytes are removed later. A repeated request returns 404.',
        tags: uploads,
        successDescription: 'The upload is aborted.',
        errorResponses: {
          403: 'The request has no credential and comes from a page of another site.',
          422: 'The upload was committed. Delete its deployment instead.',
        },
      },
    })
    .input(AbortUpload)
    .output(AbortedUpload)
    .mutation(({ ctx, input }) => abortUpload(ctx, input.upload)),
});
