import { Account } from './account.ts';
import { Activity } from './activity.ts';
import { Boot } from './boot.ts';
import { Compression } from './compression.ts';
import { Content } from './content.ts';
import { DeploymentPack } from './deployment-pack.ts';
import { Deployment } from './deployment.ts';
import { Domain } from './domain.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { IssuedId } from './issued-id.ts';
import { Manifest } from './manifest.ts';
import { Member } from './member.ts';
import { Pack } from './pack.ts';
import { PlanChange } from './plan-change.ts';
import { RateBucket } from './rate-bucket.ts';
import { Token } from './token.ts';
import { UploadContent } from './upload-content.ts';
import { UploadPack } from './upload-pack.ts';
import { Upload } from './upload.ts';

/** Every entity, for the ORM. */
export const entities = [
  Account,
  Activity,
  Boot,
  Compression,
  Content,
  Deployment,
  DeploymentPack,
  Domain,
  IdempotencyRecord,
  IssuedId,
  Manifest,
  Member,
  Pack,
  PlanChange,
  RateBucket,
  Token,
  Upload,
  UploadContent,
  UploadPack,
];

export {
  Account,
  Activity,
  Boot,
  Compression,
  Content,
  Deployment,
  DeploymentPack,
  Domain,
  IdempotencyRecord,
  IssuedId,
  Manifest,
  Member,
  Pack,
  PlanChange,
  RateBucket,
  Token,
  Upload,
  UploadContent,
  UploadPack,
};
export type { AccountState } from './account.ts';
export type { DomainStatus } from '@berth/contract';
export type { CompressedForm } from './compression.ts';
export type { DnsCheck } from './domain.ts';
