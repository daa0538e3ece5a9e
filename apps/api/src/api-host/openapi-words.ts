import type { oas31 } from 'zod-openapi';

const DESCRIPTION = `
Upload a folder, get a link. Berth publishes static sites and serves them at addresses of their own; domains, tokens and
the account are managed here too.

### Authentication

Send \`Authorization: Bearer <credential>\`. An **API key** (\`ship-…\`) stands for the whole account. A **deploy token**
(\`deploy-…\`) may publish, read the limits and ping, and nothing else; it is what a build server should have. Publishing
and \`GET /plans\` need no credential, but one that is sent and opens nothing is always 401.

### Errors

Every answer that is no success has the same body: \`error\` for programs, \`message\` for people, the \`status\`, and
\`details\` where there are any. \`error\` is one of a closed list. What belongs to another account is answered like what is
not there. Every answer carries \`X-Request-Id\`; name it when you ask for help.

### Lists

A list answers one page, newest first: 50 entries, or as many as \`limit\` says, at most 100. While there are more, the
answer has a \`nextCursor\`; pass it as \`cursor\` to get the next page.

### Rate limits

\`RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` say what is left. Whoever asks too often is told 429 and, in \`Retry-After\`,
how many seconds to wait.

### Conventions

Times are Unix seconds, sizes are bytes, both whole numbers. Unknown query parameters and unknown fields of a JSON body
are ignored. \`HEAD\` works wherever \`GET\` does. A method that a path does not know is 405, and \`Allow\` names those it
knows. Pages of any origin may read the answers.

Everything but what carries files is there as typed calls as well, by tRPC under \`/trpc\`.

### Publish from your language

A deploy is one multipart request: each file as \`files[]\` with its path for a filename, and \`checksums\` with the MD5 of each,
in order. With curl:

\`\`\`sh
echo '<h1>Hello</h1>' > index.html
curl -sS "$BERTH_SERVER/deployments" -H "Authorization: Bearer $BERTH_KEY" \\
  -F 'files[]=@index.html' -F "checksums=[\\"$(md5sum < index.html | cut -c1-32)\\"]"
\`\`\`

which answers 201:

\`\`\`json
{"deployment":"calm-otter-4k9x2qd","url":"https://calm-otter-4k9x2qd.sites.example","files":1,"size":15,"status":"success","password":false,"via":"api","labels":[],"created":1790000000}
\`\`\`

The repository has programs that publish a whole folder with curl, Python, Rust and TypeScript, and a CI job, below \`examples\`.
`.trim();

/** The `info` of the document, without the version. */
export const INFO = {
  title: 'Berth',
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
} satisfies Omit<oas31.InfoObject, 'version'>;

/** The groups of operations, in the order in which a new user meets them. */
export const TAGS: oas31.TagObject[] = [
  { name: 'Deployments', description: 'Published sites: each is a set of files at an address of its own.' },
  {
    name: 'Uploads',
    description:
      'Publishing what changed: begin with a list of the files, send the contents that are missing, commit. `POST /deployments` does it all in one request.',
  },
  {
    name: 'Domains',
    description:
      'Names that show a deployment: below the domain of the platform, or your own, proved by DNS. Check a name, create and link it, add the records, verify.',
  },
  { name: 'Tokens', description: 'Credentials of the account: API keys and deploy tokens.' },
  { name: 'Account', description: 'The account, what it holds, and what happened in it.' },
  { name: 'Platform', description: 'Plans, limits, and whether the service is there.' },
];

/** The two kinds of credentials. Source: service-api part 5, contract §1. */
export const SECURITY_SCHEMES: Record<'apiKey' | 'deployToken', oas31.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ship-<32 hexadecimal digits>',
    description: 'An API key: the whole account.',
  },
  deployToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'deploy-<32 hexadecimal digits>',
    description: 'A deploy token: publishing, `GET /limits` and `GET /ping`.',
  },
};
