import { cors } from './cors.ts';
import express, { type Router } from 'express';
import { allowOnly } from './errors.ts';

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. The file is made for each request, so it never expires on a running server. */
const VALID_DAYS = 180;

/**
 * Serves `/.well-known/security.txt` with the contact for reports of abuse and of vulnerabilities. Without a contact, the file
 * does not exist. Source: api §10; RFC 9116.
 */
export function securityTxtRouter(contact: string | null, origin: string, now: () => Date): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  if (contact === null) return router;
  router
    .route('/.well-known/security.txt')
    .all(cors)
    .get((_req, res) => {
      const text = securityTxt(contact, origin, now());
      res.writeHead(200, {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
        'X-Content-Type-Options': 'nosniff',
      });
      res.end(text);
    })
    .all(allowOnly('GET'));
  return router;
}

function securityTxt(contact: string, origin: string, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS);
  const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString();
  return `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${origin}/.well-known/security.txt\nPreferred-Languages: en\n`;
}
