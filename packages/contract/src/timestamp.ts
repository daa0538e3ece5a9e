import { z } from 'zod';

/** A point in time, in Unix seconds. Source: api §1. */
export const Timestamp = z.int().describe('Unix seconds.').meta({ example: 1790000000 });
