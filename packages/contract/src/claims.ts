import { z } from 'zod';

/** The body of `POST /account/claim`. Source: api §6. */
export const ClaimRequest = z.object({
  claim: z
    .string()
    .max(2_048, 'the claim must be a claim hash, or the whole claim URL')
    .describe('The claim hash, or the whole claim URL.')
    .meta({ example: '<32 hexadecimal digits>' }),
});
