import { DEVICE_GRANT_TYPE, type DeviceAuthorization, type DeviceToken } from '@berth/contract';
import { beginDeviceGrant, redeemDeviceGrant, ServiceError, toServiceError } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorHeaders, sendError } from '../../http/error-answer.ts';
import { sendJson } from '../../http/json-answer.ts';
import { allowOnly } from '../errors.ts';
import { readForm } from '../form-body.ts';
import type { ApiHostOptions } from '../options.ts';
import { describeDeviceError, type DeviceError } from './device-errors.ts';
import { readProgram } from './device-program.ts';

/** A request that the flow refuses, with an error of the RFC. */
class DeviceFlowRefusal extends Error {
  readonly error: DeviceError;

  constructor(error: DeviceError, message = describeDeviceError(error)) {
    super(message);
    this.error = error;
  }
}

/**
 * Serves the two requests with which a program asks a person for an API key. The errors have the codes of the RFC, because
 * generic OAuth clients also use this flow, and the fields of every error body. Source: api §13; RFC 8628.
 */
export function deviceFlowRouter({
  core,
  baseUrl,
  addressOf,
  log,
}: Pick<ApiHostOptions, 'core' | 'baseUrl' | 'addressOf' | 'log'>): Router {
  const flow = express.Router({ strict: true, caseSensitive: true });
  flow.route('/oauth/device_authorization').post(answer('device authorization', authorize)).all(allowOnly('POST'));
  flow.route('/oauth/token').post(answer('device token', redeem)).all(allowOnly('POST'));
  return flow;

  async function authorize(form: URLSearchParams, req: Request): Promise<DeviceAuthorization> {
    const client = readProgram(form);
    if (client === null) throw new DeviceFlowRefusal('invalid_client');
    const codes = await beginDeviceGrant(core, { client, address: addressOf(req) });
    const page = `${baseUrl.origin}/device`;
    return {
      device_code: codes.deviceCode,
      user_code: codes.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${codes.userCode}`,
      expires_in: codes.expiresInSeconds,
      interval: codes.intervalSeconds,
    };
  }

  async function redeem(form: URLSearchParams): Promise<DeviceToken> {
    if (form.get('grant_type') !== DEVICE_GRANT_TYPE) throw new DeviceFlowRefusal('unsupported_grant_type');
    const deviceCode = form.get('device_code');
    if (!deviceCode) throw new DeviceFlowRefusal('invalid_request', 'device_code must be given.');
    const outcome = await redeemDeviceGrant(core, deviceCode);
    if ('error' in outcome) throw new DeviceFlowRefusal(outcome.error);
    return { access_token: outcome.key, token_type: 'Bearer' };
  }

  function answer(operation: string, work: (form: URLSearchParams, req: Request) => Promise<object>) {
    return async (req: Request, res: Response): Promise<void> => {
      try {
        sendJson(res, 200, JSON.stringify(await work(await readUniqueFields(req), req)));
      } catch (thrown) {
        const refusal = toRefusal(thrown);
        if (refusal === null) return sendError(res, thrown, { log, operation });
        const { error, message, status, headers } = refusal;
        res.setHeaders(new Map(Object.entries(headers)));
        sendJson(res, status, JSON.stringify({ error, error_description: message, message, status }));
      }
    };
  }
}

/** @throws DeviceFlowRefusal if a field is repeated, which the RFC forbids. Source: RFC 6749 §3.2. */
async function readUniqueFields(req: Request): Promise<URLSearchParams> {
  const form = await readForm(req);
  if (new Set(form.keys()).size < form.size)
    throw new DeviceFlowRefusal('invalid_request', 'A field must not be repeated.');
  return form;
}

/** Returns the response to a refused request; `null` for a fault of the server. */
function toRefusal(thrown: unknown) {
  if (thrown instanceof DeviceFlowRefusal)
    return { error: thrown.error, message: thrown.message, status: 400, headers: {} };
  const error = toServiceError(thrown);
  const { message, status } = error;
  if (error.code === 'rate_limit_exceeded')
    return { error: 'slow_down', message, status, headers: errorHeaders(error) };
  return thrown instanceof ServiceError && status < 500
    ? { error: 'invalid_request', message, status, headers: errorHeaders(error) }
    : null;
}
