import { readdirSync, readlinkSync } from 'node:fs';
import type { CreatedDeployment, ErrorBody, ErrorCode } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { expect } from 'vitest';

export interface ArchiveRequest extends RequestOptions {
  /** The media type. Default: `application/x-tar`. */
  type?: string;
  /** The query, such as `strip=0`. */
  query?: string;
}

/** Sends an archive to `POST /deployments`. */
export function sendArchive(
  server: Pick<TestServer, 'api'>,
  body: Buffer,
  { type = 'application/x-tar', query = '', headers = {}, ...options }: ArchiveRequest = {},
): Promise<HttpResponse> {
  const path = query === '' ? '/deployments' : `/deployments?${query}`;
  return server.api(path, { method: 'POST', body, headers: { 'Content-Type': type, ...headers }, ...options });
}

/** Publishes an archive. Fails the test unless the response is a 201. */
export async function publishArchive(
  server: Pick<TestServer, 'api'>,
  body: Buffer,
  options?: ArchiveRequest,
): Promise<CreatedDeployment> {
  const response = await sendArchive(server, body, options);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.json<CreatedDeployment>();
}

/** Sends an archive and checks that it is refused, and leaves no row, no byte and no open file. Source: security T41. */
export async function refuseArchive(
  server: TestServer,
  code: ErrorCode,
  body: Buffer,
  options?: ArchiveRequest,
): Promise<ErrorBody> {
  const before = openFilesOf(server);
  const error = await expectRefusal(server, code, () => sendArchive(server, body, options));
  expect(openFilesOf(server).filter((file) => !before.includes(file))).toEqual([]);
  return error;
}

/** Returns the files in the data folder that this process has open, also those without a name. Empty without /proc. */
export function openFilesOf({ dataDir }: TestServer): string[] {
  try {
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      const target = targetOf(fd);
      return target.startsWith(dataDir) ? [target] : [];
    });
  } catch {
    return [];
  }
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
