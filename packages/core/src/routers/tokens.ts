import { CreatedToken, DeletedToken, PageQuery, Token, TokenList, TokenPath, TokenRequest } from '@berth/contract';
import { addToken, deleteToken, getToken, listTokens } from '../services/accounts/tokens.ts';
import { accountProcedure, router } from './trpc.ts';

const tags = ['Tokens'];

/** Credentials of the account. Source: api §5. */
export const tokens = router({
  create: accountProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/tokens',
        summary: 'Create a deploy token or an API key',
        description: 'Only this response contains the secret.',
        tags,
        successDescription: 'The token, with its secret.',
        errorResponses: {
          422: 'The account has 1,000 tokens that have not expired.',
        },
      },
      status: 201,
    })
    .input(TokenRequest.prefault({}))
    .output(CreatedToken)
    .mutation(({ ctx, input }) => addToken(ctx, input)),

  list: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/tokens',
        summary: 'List tokens, newest first',
        tags,
        successDescription: 'One page of tokens.',
      },
    })
    .input(PageQuery.prefault({}))
    .output(TokenList)
    .query(({ ctx, input }) => listTokens(ctx, input)),

  get: accountProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/tokens/{token}',
        summary: 'Read a token, without its secret',
        tags,
        successDescription: 'The token.',
      },
    })
    .input(TokenPath)
    .output(Token)
    .query(({ ctx, input }) => getToken(ctx, input.token)),

  delete: accountProcedure
    .meta({
      openapi: {
        method: 'DELETE',
        path: '/tokens/{token}',
        summary: 'Revoke a token',
        description:
          'Takes effect at once. A credential can revoke itself. After the last API key of an account is revoked, only the operator can create a new one.',
        tags,
        successDescription: 'The token is no longer valid.',
      },
    })
    .input(TokenPath)
    .output(DeletedToken)
    .mutation(({ ctx, input }) => deleteToken(ctx, input.token)),
});
