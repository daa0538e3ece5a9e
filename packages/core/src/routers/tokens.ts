import { CreatedToken, DeletedToken, PageQuery, Token, TokenList, TokenPath, TokenRequest } from '@berth/contract';
import { addToken, deleteToken, getToken, listTokens } from '../services/accounts/tokens.ts';
import { accountProcedure, describeAs, router } from './trpc.ts';

const op = describeAs('Tokens');

/** Credentials of the account. Source: api §5. */
export const tokens = router({
  create: accountProcedure
    .meta(
      op('POST /tokens', 'Create a deploy token or an API key', {
        answer: 'The token, with its secret.',
        description: 'Only this response contains the secret.',
        status: 201,
        errors: { 422: 'The account has 1,000 tokens that have not expired.' },
      }),
    )
    .input(TokenRequest.prefault({}))
    .output(CreatedToken)
    .mutation(({ ctx, input }) => addToken(ctx, input)),

  list: accountProcedure
    .meta(op('GET /tokens', 'List tokens, newest first', { answer: 'One page of tokens.' }))
    .input(PageQuery.prefault({}))
    .output(TokenList)
    .query(({ ctx, input }) => listTokens(ctx, input)),

  get: accountProcedure
    .meta(op('GET /tokens/{token}', 'Read a token, without its secret', { answer: 'The token.' }))
    .input(TokenPath)
    .output(Token)
    .query(({ ctx, input }) => getToken(ctx, input.token)),

  delete: accountProcedure
    .meta(
      op('DELETE /tokens/{token}', 'Revoke a token', {
        answer: 'The token is no longer valid.',
        description:
          'Takes effect at once. A credential can revoke itself. After the last API key of an account is revoked, only the operator can create a new one.',
      }),
    )
    .input(TokenPath)
    .output(DeletedToken)
    .mutation(({ ctx, input }) => deleteToken(ctx, input.token)),
});
