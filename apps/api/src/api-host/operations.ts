import type { ProcedureMeta } from '@berth/core';
import type { AnyTRPCRouter, TRPCProcedureType } from '@trpc/server';
import type { z } from 'zod';

/** A procedure that has a route in the REST API. */
export interface Operation {
  /** The path of the procedure, such as `deployments.list`. */
  name: string;
  type: TRPCProcedureType;
  /** The schemas that validate its input, in order. */
  inputs: readonly z.ZodType[];
  openapi: NonNullable<ProcedureMeta['openapi']>;
  /** The status of success. */
  status: number;
  /** Whether success can also be 201. */
  creates: boolean;
  bodySize: ProcedureMeta['bodySize'];
  redirect: ProcedureMeta['redirect'];
}

interface Definition {
  type: TRPCProcedureType;
  meta?: ProcedureMeta;
  inputs: z.ZodType[];
}

/** Every operation of a router, in order. Only the metadata of a procedure decides how it appears in the REST API. */
export function operationsOf(router: AnyTRPCRouter): Operation[] {
  const procedures = Object.entries(router._def.procedures as Record<string, { _def: Definition }>);
  return procedures.flatMap(
    ([
      name,
      {
        _def: { type, meta, inputs },
      },
    ]) => {
      if (!meta?.openapi) return [];
      const { openapi, status = 200, creates = false, bodySize, redirect } = meta;
      return [{ name, type, inputs, openapi, status, creates, bodySize, redirect }];
    },
  );
}

/**
 * Whether a path matches a template such as `/deployments/{deployment}`. The match is exact: case and slashes count.
 */
export function matchesTemplate(template: string, path: string): boolean {
  const wanted = template.split('/');
  const segments = path.split('/');
  return (
    wanted.length === segments.length &&
    wanted.every((segment, at) => (segment.startsWith('{') ? segments[at] !== '' : segment === segments[at]))
  );
}
