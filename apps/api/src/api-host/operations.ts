import type { Meta } from '@berth/core';
import type { AnyTRPCRouter, TRPCProcedureType } from '@trpc/server';
import type { z } from 'zod';

/** A procedure that has a place on the REST face. */
export interface Operation {
  /** The path of the procedure, such as `deployments.list`. */
  name: string;
  type: TRPCProcedureType;
  /** The schemas its input passes, in order. */
  inputs: readonly z.ZodType[];
  openapi: NonNullable<Meta['openapi']>;
  /** The status of success. */
  status: number;
  /** Whether success can be 201 besides. */
  creates: boolean;
  bodySize: Meta['bodySize'];
  redirect: Meta['redirect'];
}

interface Definition {
  type: TRPCProcedureType;
  meta?: Meta;
  inputs: z.ZodType[];
}

/** Every operation of a router, in its order. What a procedure is on the REST face is told by its meta alone. */
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

/** Whether a path is one that a template such as `/deployments/{deployment}` stands for. Exact, case and slashes included. */
export function matchesTemplate(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith('{') ? given[at] !== '' : segment === given[at]))
  );
}
