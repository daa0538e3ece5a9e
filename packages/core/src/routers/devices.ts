import { DeviceCode, DeviceRequest } from '@berth/contract';
import { decideDeviceGrant, readDeviceGrant } from '../services/sign-in/device-approval.ts';
import { router, sessionProcedure } from './trpc.ts';

/** The procedures with which a person approves a program that shows a code. Source: api §13; RFC 8628. */
export const devices = router({
  find: sessionProcedure
    .input(DeviceCode)
    .output(DeviceRequest)
    .mutation(({ ctx, input }) => readDeviceGrant(ctx, input.code)),

  approve: sessionProcedure
    .input(DeviceCode)
    .output(DeviceRequest)
    .mutation(({ ctx, input }) => decideDeviceGrant(ctx, { code: input.code, decision: 'approved' })),

  deny: sessionProcedure
    .input(DeviceCode)
    .output(DeviceRequest)
    .mutation(({ ctx, input }) => decideDeviceGrant(ctx, { code: input.code, decision: 'denied' })),
});
