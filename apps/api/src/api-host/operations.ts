import type { ProcedureMeta } from '@berth/core';
import type { AnyTRPCRouter, TRPCProcedureType } from '@trpc/server';
import type { z } from 'zod';

/** A procedure that has a route in the REST API. */
export interface Operation {
  /** The path of the procedure, such as `deployments.list`. */
  name: string;
  type: TRPCProcedureType;
  /** The schemas of the input, in the order in which they validate it. */
  inputs: readonly z.ZodType[];
  openapi: NonNullable<ProcedureMeta['openapi']>;
  /** The status of a success. */
  status: number;
  /** Whether a success can also have status 201. */
  creates: boolean;
  bodySize: ProcedureMeta['bodySize'];
  redirect: ProcedureMeta['redirect'];
  events: ProcedureMeta['events'];
}

interface Definition {
  type: TRPCProcedureType;
  meta?: ProcedureMeta;
  inputs: z.ZodType[];
}

/** Lists the procedures of a router whose metadata defines a route, in order. */
export function operationsOf(router: AnyTRPCRouter): Operation[] {
  const procedures = Object.entries(router._def.procedures as Record<string, { _def: Definition }>);
  return procedures.flatMap(([name, procedure]) => {
    const { type, meta, inputs } = procedure._def;
    if (!meta?.openapi) return [];
    const { openapi, status = 200, creates = false, bodySize, redirect, events } = meta;
    return [{ name, type, inputs, openapi, status, creates, bodySize, redirect, events }];
  });
}

/** Whether a path matches a template such as `/deployments/{deployment}`, including case and slashes. */
export function matchesTemplate(template: string, path: string): boolean {
  const templateSegments = template.split('/');
  const segments = path.split('/');
  return (
    templateSegments.length === segments.length &&
    templateSegments.every((segment, at) => (segment.startsWith('{') ? segments[at] !== '' : segment === segments[at]))
  );
}
