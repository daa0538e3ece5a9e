import { CreatedToken, DeletedToken, PageQuery, Token, TokenList, TokenPath, TokenRequest } from '@berth/contract';
import { addToken, deleteToken, getToken, listTokens } from '../services/accounts/tokens.ts';
import { accountProcedure, operations, router } from './trpc.ts';

const op = operations('Tokens', accountProcedure);

/** The procedures for the credentials of the account. Source: api §5. */
export const tokens = router({
  create: op('POST /tokens', 'Create a deploy token or an API key', {
    success: 'The token, with its secret.',
    description: 'Only this response contains the secret.',
    errorResponses: { 422: 'The account has 1,000 tokens that have not expired.' },
    status: 201,
  })
    .input(TokenRequest.prefault({}))
    .output(CreatedToken)
    .mutation(({ ctx, input }) => addToken(ctx, input)),

  list: op('GET /tokens', 'List tokens, newest first', {
    success: 'One page of tokens.',
    description: 'All deploy tokens and API keys of the account, without their secrets.',
  })
    .input(PageQuery.prefault({}))
    .output(TokenList)
    .query(({ ctx, input }) => listTokens(ctx, input)),

  get: op('GET /tokens/{token}', 'Read a token, without its secret', {
    success: 'The token.',
    description: 'No response after the one that created the token contains its secret.',
  })
    .input(TokenPath)
    .output(Token)
    .query(({ ctx, input }) => getToken(ctx, input.token)),

  delete: op('DELETE /tokens/{token}', 'Revoke a token', {
    success: 'The token is no longer valid.',
    description:
      'The revocation takes effect at once. A credential can revoke itself. After the last API key of an account is revoked, only the operator can create a new one.',
  })
    .input(TokenPath)
    .output(DeletedToken)
    .mutation(({ ctx, input }) => deleteToken(ctx, input.token)),
});
