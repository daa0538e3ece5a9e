import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { formOf, OWNER_KEY } from '@berth/testing/requests';

/** Sends a deploy except its last hundred bytes. @returns The open request, and the missing bytes. */
export async function beginUpload(
  port: number,
  key = OWNER_KEY,
): Promise<{ upload: ClientRequest; missingBytes: Buffer }> {
  const { contentType, body } = formOf({ 'index.html': 'slow' });
  const headers = {
    Host: `localhost:${port}`,
    Authorization: `Bearer ${key}`,
    'Content-Type': contentType,
    'Content-Length': body.length,
    Expect: '100-continue',
  };
  const upload = request({ host: '127.0.0.1', port, path: '/deployments', method: 'POST', agent: false, headers });
  upload.on('error', () => {}).flushHeaders();
  await once(upload, 'continue');
  await new Promise<void>((written) => upload.write(body.subarray(0, -100), () => written()));
  return { upload, missingBytes: body.subarray(-100) };
}
