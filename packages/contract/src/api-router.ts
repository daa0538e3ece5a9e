// The types of all procedures, without code of the server. TypeScript refuses a server whose router differs.
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import type {
  Account,
  AccountDeletion,
  AccountPatch,
  Activity,
  ActivityList,
  ActivityQuery,
  ActivityWatch,
  ClaimedSite,
  ClaimRequest,
  DeletedAccount,
} from './account.ts';
import type {
  CreatedDeployment,
  DeletedDeployment,
  Deployment,
  DeploymentChanges,
  DeploymentChangesQuery,
  DeploymentFileList,
  DeploymentFileQuery,
  DeploymentList,
  DeploymentPatch,
  DeploymentPath,
  DeploymentQuery,
} from './deployments.ts';
import type {
  DeletedDomain,
  Domain,
  DomainCandidate,
  DomainDns,
  DomainList,
  DomainPath,
  DomainPut,
  DomainRecords,
  DomainShare,
  DomainValidation,
  DomainVersionList,
  DomainVersionQuery,
  VerifiedDomain,
} from './domains.ts';
import type { DeviceCode, DeviceRequest } from './devices.ts';
import type { ErrorBody } from './errors.ts';
import type { LabelList } from './labels.ts';
import type {
  CreatedInvite,
  DeletedInvite,
  DeletedMember,
  InviteAcceptance,
  InviteList,
  InvitePath,
  InviteRequest,
  InviteSecret,
  InviteTarget,
  MemberList,
  MemberPath,
} from './members.ts';
import type { PageQuery } from './pages.ts';
import type { Limits, MovedConfig, Ping, PlanList } from './plans.ts';
import type {
  AccountChoice,
  BrowserSessionList,
  BrowserSessionPath,
  CodeRequest,
  CodeSignIn,
  DeletedSessions,
  Done,
  EmailChange,
  EmailChangeRequest,
  IdentityList,
  IdentityPath,
  IdentityUrl,
  LinkRequest,
  LinkTarget,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasskeyPath,
  PasskeyRequest,
  PasskeySignIn,
  PasswordChange,
  PasswordSignIn,
  PersonName,
  RequestedCode,
  RequestedEmailChange,
  SessionProof,
  SignedIn,
} from './sign-in.ts';
import type { SessionState } from './session-state.ts';
import type { DeletedSite, Site, SiteList, SitePath, SiteQuery } from './sites.ts';
import type { CreatedToken, DeletedToken, Token, TokenList, TokenPath, TokenRequest } from './tokens.ts';
import type { AbortedUpload, BeginUpload, BegunUpload, CommitUpload } from './uploads.ts';

/**
 * The type of the API for typed clients: one line for each procedure, with the schemas of its input and output. The router of
 * the server is checked against it when it is compiled. Source: api §9.
 */
export type ApiRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ApiErrorShape; transformer: false },
  {
    account: {
      claimed: Mutation<typeof ClaimRequest, typeof ClaimedSite>;
      claim: Mutation<typeof ClaimRequest, typeof Deployment>;
      delete: Mutation<typeof AccountDeletion, typeof DeletedAccount>;
      get: Query<None, typeof Account>;
      update: Mutation<typeof AccountPatch, typeof Account>;
    };
    activities: {
      list: Query<Optional<typeof ActivityQuery>, typeof ActivityList>;
      watch: Subscription<typeof ActivityWatch, typeof Activity>;
    };
    deployments: {
      abort: Mutation<typeof CommitUpload, typeof AbortedUpload>;
      begin: Mutation<typeof BeginUpload, typeof BegunUpload>;
      changes: Query<typeof DeploymentChangesQuery, typeof DeploymentChanges>;
      commit: Mutation<typeof CommitUpload, typeof CreatedDeployment>;
      delete: Mutation<typeof DeploymentPath, typeof DeletedDeployment>;
      files: Query<typeof DeploymentFileQuery, typeof DeploymentFileList>;
      get: Query<typeof DeploymentPath, typeof Deployment>;
      list: Query<Optional<typeof DeploymentQuery>, typeof DeploymentList>;
      update: Mutation<typeof DeploymentPatch, typeof Deployment>;
    };
    devices: {
      approve: Mutation<typeof DeviceCode, typeof DeviceRequest>;
      deny: Mutation<typeof DeviceCode, typeof DeviceRequest>;
      find: Mutation<typeof DeviceCode, typeof DeviceRequest>;
    };
    domains: {
      delete: Mutation<typeof DomainPath, typeof DeletedDomain>;
      dns: Query<typeof DomainPath, typeof DomainDns>;
      get: Query<typeof DomainPath, typeof Domain>;
      list: Query<Optional<typeof PageQuery>, typeof DomainList>;
      put: Mutation<typeof DomainPut, typeof Domain>;
      records: Query<typeof DomainPath, typeof DomainRecords>;
      share: Query<typeof DomainPath, typeof DomainShare>;
      validate: Mutation<typeof DomainCandidate, typeof DomainValidation>;
      validateNamed: Mutation<typeof DomainPath, typeof DomainValidation>;
      versions: Query<typeof DomainVersionQuery, typeof DomainVersionList>;
      verify: Mutation<typeof DomainPath, typeof VerifiedDomain>;
    };
    identities: {
      begin: Mutation<None, typeof IdentityUrl>;
      delete: Mutation<typeof IdentityPath, typeof IdentityPath>;
      list: Query<None, typeof IdentityList>;
    };
    invites: {
      create: Mutation<Optional<typeof InviteRequest>, typeof CreatedInvite>;
      accept: Mutation<typeof InviteAcceptance, typeof Done>;
      find: Mutation<typeof InviteSecret, typeof InviteTarget>;
      delete: Mutation<typeof InvitePath, typeof DeletedInvite>;
      list: Query<None, typeof InviteList>;
    };
    labels: {
      list: Query<None, typeof LabelList>;
    };
    members: {
      delete: Mutation<typeof MemberPath, typeof DeletedMember>;
      list: Query<None, typeof MemberList>;
    };
    passkeys: {
      begin: Mutation<None, typeof PasskeyOptions>;
      create: Mutation<typeof PasskeyRequest, typeof Passkey>;
      delete: Mutation<typeof PasskeyPath, typeof PasskeyPath>;
      list: Query<None, typeof PasskeyList>;
    };
    person: {
      changeEmail: Mutation<typeof EmailChange, typeof Done>;
      rename: Mutation<typeof PersonName, typeof Done>;
      requestEmail: Mutation<typeof EmailChangeRequest, typeof RequestedEmailChange>;
      setPassword: Mutation<typeof PasswordChange, typeof Done>;
    };
    plans: {
      list: Query<None, typeof PlanList>;
    };
    platform: {
      config: Query<None, typeof MovedConfig>;
      limits: Query<None, typeof Limits>;
      ping: Query<None, typeof Ping>;
    };
    session: {
      choose: Mutation<typeof AccountChoice, typeof Done>;
      end: Mutation<None, typeof Done>;
      get: Query<None, typeof SessionState>;
      prove: Mutation<typeof SessionProof, typeof Done>;
    };
    sessions: {
      delete: Mutation<typeof BrowserSessionPath, typeof Done>;
      deleteOthers: Mutation<None, typeof DeletedSessions>;
      list: Query<None, typeof BrowserSessionList>;
    };
    signIn: {
      beginPasskey: Mutation<None, typeof PasskeyOptions>;
      code: Mutation<typeof CodeSignIn, typeof SignedIn>;
      passkey: Mutation<typeof PasskeySignIn, typeof Done>;
      password: Mutation<typeof PasswordSignIn, typeof Done>;
      readLink: Mutation<typeof LinkRequest, typeof LinkTarget>;
      requestCode: Mutation<typeof CodeRequest, typeof RequestedCode>;
      useLink: Mutation<typeof LinkRequest, typeof Done>;
    };
    sites: {
      delete: Mutation<typeof SitePath, typeof DeletedSite>;
      get: Query<typeof SitePath, typeof Site>;
      list: Query<Optional<typeof SiteQuery>, typeof SiteList>;
    };
    tokens: {
      create: Mutation<Optional<typeof TokenRequest>, typeof CreatedToken>;
      delete: Mutation<typeof TokenPath, typeof DeletedToken>;
      get: Query<typeof TokenPath, typeof Token>;
      list: Query<Optional<typeof PageQuery>, typeof TokenList>;
    };
  }
>;

/** The input of a procedure without parameters. */
type None = z.ZodOptional<z.ZodObject<{}>>;
type Optional<Input extends z.core.$ZodType> = z.ZodOptional<Input>;

type Query<Input extends z.core.$ZodType, Output extends z.core.$ZodType> = TRPCQueryProcedure<
  Call<Input, z.output<Output>>
>;
type Mutation<Input extends z.core.$ZodType, Output extends z.core.$ZodType> = TRPCMutationProcedure<
  Call<Input, z.output<Output>>
>;
/** A stream of values. Each has an id, after which a client resumes the stream. */
type Subscription<Input extends z.core.$ZodType, Value extends z.core.$ZodType> = TRPCSubscriptionProcedure<
  Call<Input, AsyncIterable<{ id: string; data: z.output<Value> }, void, unknown>>
>;
type Call<Input extends z.core.$ZodType, Output> = { input: z.input<Input>; output: Output; meta: object };

/** An error as tRPC clients receive it: `data` contains the error body of REST. */
interface ApiErrorShape extends Pick<TRPCDefaultErrorShape, 'message' | 'code'> {
  data: ErrorBody & { httpStatus: number; path: string | undefined };
}
