import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** Which parts of a response a test changes. */
interface Changes {
  origin?: string;
  rpId?: string;
  /** Whether the person entered a PIN or showed a finger. Default: true. */
  verified?: boolean;
  challenge?: string;
  counter?: number;
}

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };

/** A passkey in software, which signs like an authenticator and can be made to lie. */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
  const coseKey = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  );
  let signed = 0;

  function clientData(type: string, challenge: string, changes: Changes): Buffer {
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: changes.challenge ?? challenge,
        origin: changes.origin ?? origin,
        crossOrigin: false,
      }),
    );
  }

  function authenticatorData({ rpId, verified = true, counter }: Changes, attested?: Buffer): Buffer {
    const head = Buffer.alloc(5);
    head[0] = FLAGS.present | (verified ? FLAGS.verified : 0) | (attested ? FLAGS.attested : 0);
    head.writeUInt32BE(counter ?? signed, 1);
    const rpIdHash = createHash('sha256')
      .update(rpId ?? new URL(origin).hostname)
      .digest();
    return Buffer.concat([rpIdHash, head, attested ?? Buffer.alloc(0)]);
  }

  function credential(response: Record<string, unknown>) {
    const text = id.toString('base64url');
    return { id: text, rawId: text, type: 'public-key' as const, response, clientExtensionResults: {} };
  }

  return {
    id: id.toString('base64url'),
    /** Answers `passkeys.begin`. */
    create(options: Record<string, unknown>, changes: Changes = {}) {
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey]);
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(authenticatorData(changes, attested))],
        ]) as never,
      );
      const clientDataJSON = clientData('webauthn.create', String(options['challenge']), changes).toString('base64url');
      const attestationObject = Buffer.from(attestation).toString('base64url');
      return credential({ clientDataJSON, attestationObject, transports: ['internal'] }) as never;
    },
    /** Answers `signIn.beginPasskey`. */
    get(options: Record<string, unknown>, changes: Changes = {}) {
      signed += 1;
      const data = authenticatorData(changes);
      const client = clientData('webauthn.get', String(options['challenge']), changes);
      const hash = createHash('sha256').update(client).digest();
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, hash]), privateKey).toString('base64url'),
      }) as never;
    },
  };
}
