/** Packs in an object store. Only a server with `STORAGE_URL` loads this module, because the client of AWS is large. */
export { openS3Packs } from './storage/s3/s3-packs.ts';
