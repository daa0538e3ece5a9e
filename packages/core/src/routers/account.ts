import {
  Account,
  AccountDeletion,
  AccountPatch,
  ClaimedSite,
  ClaimRequest,
  DeletedAccount,
  Deployment,
  LabelList,
} from '@berth/contract';
import { getAccount } from '../services/accounts/accounts.ts';
import { updateAccount } from '../services/accounts/update-account.ts';
import { deleteAccount } from '../services/accounts/delete-account.ts';
import { claimDeployment, readClaimedSite } from '../services/deployments/claims.ts';
import { listLabels } from '../services/labels.ts';
import { accountProcedure, browserProcedure, NoInput, operations, router } from './trpc.ts';

const op = operations('Account', accountProcedure);

/** The procedures for the account of the credential. Source: api §6. */
export const account = router({
  get: op('GET /account', 'Read the account: plan, usage and caps', {
    success: 'The account.',
    description: 'The account is the one that the credential belongs to. `usage` and `caps` have the same fields.',
  })
    .input(NoInput)
    .output(Account)
    .query(({ ctx }) => getAccount(ctx)),

  claimed: browserProcedure
    .input(ClaimRequest)
    .output(ClaimedSite)
    .mutation(({ ctx, input }) => readClaimedSite(ctx, input.claim)),

  claim: op('POST /account/claim', 'Claim an anonymous deployment', {
    success: 'The deployment, which now belongs to the account.',
    description:
      'The deployment then belongs to the account and no longer expires. A repeated claim gets a 200 for the same account, and a 404 for every other one.',
    errorResponses: {
      403: 'A cap of the plan is reached (deployments or storage). The deployment can still be claimed.',
      404: 'There is no such claim: it is unknown, has expired, or was used by another account.',
      429: 'Claims have an additional limit: 30 an hour by default.',
    },
  })
    .input(ClaimRequest)
    .output(Deployment)
    .mutation(({ ctx, input }) => claimDeployment(ctx, input.claim)),

  update: op('PATCH /account', 'Rename the account', {
    success: 'The account with its new name.',
    description: 'The name is shown to the members of the account. Visitors of its sites do not see it.',
  })
    .input(AccountPatch)
    .output(Account)
    .mutation(({ ctx, input }) => updateAccount(ctx, input)),

  delete: op('DELETE /account', 'Delete the account', {
    success: 'The account was deleted.',
    description:
      'Deletes the account with all its deployments, domains, credentials and activities. Its sites respond with 404 at once. This cannot be undone. `account` is the id of your account, as a confirmation. Only the owner can do this.',
    errorResponses: {
      403: 'The credential was made by a member who is not the owner.',
      404: 'The id is not the id of the account of this credential.',
      422: 'The account belongs to the operator of the service.',
    },
  })
    .input(AccountDeletion)
    .output(DeletedAccount)
    .mutation(({ ctx, input }) => deleteAccount(ctx, input.account)),
});

/** The procedure for the labels of the account. Source: api §6. */
export const labels = router({
  list: op('GET /labels', 'List the labels in use, most recently used first', {
    success: 'The labels.',
    description: 'The labels of all deployments, domains and tokens, each of them once.',
  })
    .input(NoInput)
    .output(LabelList)
    .query(({ ctx }) => listLabels(ctx)),
});
