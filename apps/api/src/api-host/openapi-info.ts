import type { oas31 } from 'zod-openapi';

const DESCRIPTION = `
Upload a folder, get a link. Berth publishes static sites and serves each one at its own address. The API also manages
domains, tokens and the account.

### Authentication

Send \`Authorization: Bearer <credential>\`. An **API key** (\`ship-…\`) has full access to the account. A **deploy token**
(\`deploy-…\`) can only publish, read the limits and ping; use one in CI. Publishing and \`GET /plans\` need no credential,
but a request with an invalid credential always gets a 401.

### Errors

Every error response has the same body: \`error\` for programs, \`message\` for people, the \`status\`, and for some errors
\`details\`. \`error\` is one of a closed list of codes; each has one status and one form of \`details\`. A resource of another account gets the same response as a missing
one. Every response has an \`X-Request-Id\`; quote it when you ask for help.

### Lists

A list returns one page, newest first: 50 entries by default, up to 100 with \`limit\`. If there are more, the response has
a \`nextCursor\`; pass it as \`cursor\` to get the next page.

### Rate limits

\`RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` describe the remaining budget. A client that exceeds it gets a 429, with the
seconds to wait in \`Retry-After\`.

### Conventions

Times are Unix seconds and sizes are bytes, both integers. Unknown query parameters and unknown fields of a JSON body are
ignored. Responses may gain fields, and fields with an \`x-extensible-enum\` may gain values, so ignore unknown fields and
accept unknown values. \`HEAD\` works wherever \`GET\` does. An unsupported method gets a 405, with the supported ones in \`Allow\`. Pages of
any origin can read the responses.

All operations are also available as typed tRPC calls under \`/trpc\`, except the two that send file contents. This
document is at \`/openapi.json\` as OpenAPI 3.1, and at \`/openapi-3.0.json\` for generators that need OpenAPI 3.0.

### Publish from your language

A deploy is one multipart request: each file as \`files[]\` with its path as the filename, and \`checksums\` with the MD5 of
each file, in the same order. With curl:

\`\`\`sh
echo '<h1>Hello</h1>' > index.html
curl -sS "$BERTH_SERVER/deployments" -H "Authorization: Bearer $BERTH_KEY" \\
  -F 'files[]=@index.html' -F "checksums=[\\"$(md5sum < index.html | cut -c1-32)\\"]"
\`\`\`

The response is a 201:

\`\`\`json
{"deployment":"calm-otter-4k9x2qd","url":"https://calm-otter-4k9x2qd.sites.example","files":1,"size":15,"status":"success","password":false,"via":"api","labels":[],"created":1790000000}
\`\`\`

The folder \`examples\` of the repository has programs that publish a whole folder, with curl, Python, Rust and TypeScript,
and a CI job.
`.trim();

export const INFO = {
  title: 'Berth',
  description: DESCRIPTION,
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
} satisfies Omit<oas31.InfoObject, 'version'>;

/** Returns whom to ask about the API. @param baseUrl The public URL of the API. */
export const contactOf = (baseUrl: string): oas31.ContactObject => ({
  name: 'The operator of this server',
  url: baseUrl,
});

/** The groups of operations, in the order in which a new user needs them. */
export const TAGS: oas31.TagObject[] = [
  { name: 'Deployments', description: 'Published sites. Each deployment is a set of files with its own address.' },
  {
    name: 'Uploads',
    description:
      'Publish only what changed: begin with a list of the files, send the missing contents, commit. `POST /deployments` publishes in one request instead.',
  },
  {
    name: 'Domains',
    description:
      'Names that point at a deployment: subdomains of the platform domain, and custom domains, which are verified by DNS. Validate a name, create and link the domain, add its DNS records, verify.',
  },
  {
    name: 'Sites',
    description: 'What the account shows at each of its addresses, with the title and the icon of the front page.',
  },
  { name: 'Tokens', description: 'Credentials of the account: API keys and deploy tokens.' },
  { name: 'Account', description: 'The account, its usage, and its audit log.' },
  { name: 'Members', description: 'The people who act for the account, and invitations to it.' },
  { name: 'Platform', description: 'Plans, limits, and a health check.' },
];

/** The two kinds of credentials. Source: api §1. */
export const SECURITY_SCHEMES: Record<'apiKey' | 'deployToken', oas31.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ship-<32 hexadecimal digits>',
    description: 'An API key: full access to the account.',
  },
  deployToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'deploy-<32 hexadecimal digits>',
    description: 'A deploy token: can only publish, and call `GET /limits` and `GET /ping`.',
  },
};
