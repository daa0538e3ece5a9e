import {
  AbortedUpload,
  BeginUpload,
  BegunUpload,
  CommitUpload,
  CreatedDeployment,
  DeletedDeployment,
  Deployment,
  DeploymentChanges,
  DeploymentChangesQuery,
  DeploymentFileList,
  DeploymentFileQuery,
  DeploymentList,
  DeploymentPatch,
  DeploymentPath,
  DeploymentQuery,
} from '@berth/contract';
import { compareDeployments } from '../services/deployments/compare-deployments.ts';
import {
  deleteDeployment,
  getDeployment,
  listDeployments,
  updateDeployment,
} from '../services/deployments/deployments.ts';
import { fileListSize, refuseLongFileLists } from '../services/deployments/file-rules.ts';
import { listFiles } from '../services/deployments/list-files.ts';
import { beginUpload } from '../services/uploads/begin-upload.ts';
import { commitUpload } from '../services/uploads/commit-upload.ts';
import { abortUpload } from '../services/uploads/uploads.ts';
import { accountProcedure, deployProcedure, operations, router } from './trpc.ts';

const op = operations('Deployments', accountProcedure);
const uploadOp = operations('Uploads', deployProcedure);

/** A procedure whose input lists files. It refuses lists that are longer than the plan allows without validating them. */
const fileListProcedure = deployProcedure.use(async ({ ctx, getRawInput, next }) => {
  refuseLongFileLists(ctx, await getRawInput());
  return next();
});
const fileListOp = operations('Uploads', fileListProcedure);

/**
 * The procedures for deployments and uploads. `POST /deployments` and `PUT /uploads/{upload}/contents` are separate routes,
 * because their bodies are not JSON. Source: api §9.
 */
export const deployments = router({
  list: op('GET /deployments', 'List deployments, newest first', {
    success: 'One page of deployments.',
    description:
      'All deployments of the account, also those that are being deleted. With `label` or `domain`, the list has only the deployments that match both. A domain that the account does not have matches none.',
  })
    .input(DeploymentQuery.prefault({}))
    .output(DeploymentList)
    .query(({ ctx, input }) => listDeployments(ctx, input)),

  get: op('GET /deployments/{deployment}', 'Read a deployment', {
    success: 'The deployment.',
    description: 'A deployment can be read until its files are removed.',
  })
    .input(DeploymentPath)
    .output(Deployment)
    .query(({ ctx, input }) => getDeployment(ctx, input.deployment)),

  files: op('GET /deployments/{deployment}/files', 'List the files of a deployment, sorted by path', {
    success: 'One page of files.',
    description:
      'Paths are sorted by the bytes of their UTF-8 form. Compare `sha256` with the files of a folder to find what differs.',
  })
    .input(DeploymentFileQuery)
    .output(DeploymentFileList)
    .query(({ ctx, input: { deployment, ...page } }) => listFiles(ctx, deployment, page)),

  changes: op(
    'GET /deployments/{deployment}/changes',
    'Compare the files of a deployment with those of an earlier one',
    {
      success: 'What was added, changed and removed.',
      description: 'Contents are compared by their SHA-256. The result never changes while both deployments exist.',
    },
  )
    .input(DeploymentChangesQuery)
    .output(DeploymentChanges)
    .query(({ ctx, input: { deployment, from } }) => compareDeployments(ctx, deployment, from)),

  update: op('PATCH /deployments/{deployment}', 'Change the labels, the password or the time to live of a deployment', {
    success: 'The changed deployment.',
    description:
      'Absent fields stay unchanged. After a new password is set, visitors must enter it at once; after the password is removed, everyone can open the site at once.',
    errorResponses: {
      422: 'The deployment is being deleted; or domains point at it, and `ttl` would let it expire.',
    },
  })
    .input(DeploymentPatch)
    .output(Deployment)
    .mutation(({ ctx, input: { deployment, ...changes } }) => updateDeployment(ctx, deployment, changes)),

  delete: op('DELETE /deployments/{deployment}', 'Delete a deployment', {
    success: 'The site is no longer served; its files are being removed.',
    description:
      'The site responds with 404 at once; its files are removed later. A repeated delete gets a 202 until they are removed.',
    errorResponses: {
      422: 'Domains still point at the deployment. Link them to another deployment or delete them first.',
    },
    status: 202,
  })
    .input(DeploymentPath)
    .output(DeletedDeployment)
    .mutation(({ ctx, input }) => deleteDeployment(ctx, input.deployment)),

  begin: fileListOp('POST /uploads', 'Begin an upload that sends only missing contents', {
    success: 'The upload, and the contents that must be sent.',
    description:
      'List every file with its path, size and SHA-256 in `files`; or list only the changes to a deployment of the same account, in `base`, `put` and `remove`. The response lists the contents that must be sent to `PUT /uploads/{upload}/contents`. Contents that this account uploaded recently need not be sent again; contents of other accounts have no effect.\n\nWith an `Idempotency-Key`, the same files and options resume the same upload, and `missing` lists what it still needs. An upload can be committed for 24 hours. Beginning it counts as a deploy; committing it does not. Its contents count as storage at once.\n\nA credential can have 20 open uploads, and an anonymous address 3. A further upload replaces the one that has been idle longest, if it has been idle for 10 minutes.',
    keyed: true,
    errorResponses: {
      403: 'A cap of the plan is reached (deployments, storage or domains); the credential cannot use `domain`, `keep` or `open`; or the request has no credential, and sets `ttl` or comes from a page of another site.',
      413: 'The upload exceeds a limit of the plan. `details.limit` names the limit, and `details.file` the file that is too large.',
      422: 'The `Idempotency-Key` was used for another upload; the base was taken down; a deploy token sets a password for a protected base; or `domain` belongs to another account, or was sent with `ttl`.',
      429: 'A limit is reached: deploys of the credential, deploys of an address without a credential, or open uploads.',
    },
    status: 201,
    bodySize: fileListSize,
  })
    .input(BeginUpload)
    .output(BegunUpload)
    .mutation(({ ctx, input }) => beginUpload(ctx, input)),

  commit: uploadOp('POST /uploads/{upload}/commit', 'Publish an upload as a new deployment', {
    success: 'Published: the site is now served.',
    description:
      'A commit is atomic. A repeated commit returns the same deployment for 24 hours and never creates a second one.',
    errorResponses: {
      403: 'A cap of the plan is reached (deployments, storage or domains); or a page of another site sent the request without a credential.',
      422: 'The domain of the upload belongs to another account; or contents are missing: `details.missing` is their number, and `POST /uploads` with the same `Idempotency-Key` lists them.',
    },
    status: 201,
  })
    .input(CommitUpload)
    .output(CreatedDeployment)
    .mutation(({ ctx, input }) => commitUpload(ctx, input.upload)),

  abort: uploadOp('DELETE /uploads/{upload}', 'Abort an upload that is not committed', {
    success: 'The upload is aborted.',
    description: 'The upload no longer counts as storage, and its contents are removed. A repeated abort gets a 404.',
    errorResponses: {
      403: 'A page of another site sent the request without a credential.',
      422: 'The upload was committed. Delete its deployment instead.',
    },
  })
    .input(CommitUpload)
    .output(AbortedUpload)
    .mutation(({ ctx, input }) => abortUpload(ctx, input.upload)),
});
