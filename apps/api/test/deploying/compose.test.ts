import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { readVariables } from '../read-variables.ts';
import { ROOT, runIn } from './checkout.ts';
import { composeText, example, readCompose } from './compose-file.ts';

const { services, secrets } = readCompose();

/** Variables that the image and the compose file set. */
const FIXED = ['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR', 'SECRET_KEY_FILE', 'DATABASE_URL_FILE'];
/** The other form of fixed variables. A server refuses both. */
const OTHER_FORMS = ['SECRET_KEY', 'DATABASE_URL'];
const ONLY_IN_TESTS = ['FAILPOINT', 'COMPRESSION', 'JOBS', 'SWEEP_GRACE', 'BOOT_STALE', 'CONSOLE_FOLDER'];

/** Variables that cannot be set in `.env`. */
const EXCLUDED = new Set([...FIXED, ...OTHER_FORMS, ...ONLY_IN_TESTS]);

describe('docker-compose.yml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const createSecrets = () => runIn(ROOT, join(ROOT, 'deploy/compose/create-secrets'), folder);
  const secretFiles = () =>
    readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

  it('follows the schema of the Compose Specification', () => {
    const dclint = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
    const { $schema: _draft, ...schema } = JSON.parse(
      readFileSync(join(dclint, 'schemas/compose.schema.json'), 'utf8'),
    );
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
    validate(readCompose());
    expect(validate.errors).toBeNull();
    validate({ services: { api: { ...services.api, memory_limit: '1g' } } });
    expect(validate.errors).toMatchObject([{ params: { additionalProperty: 'memory_limit' } }]);
  });

  it('newcomer B15: passes every variable of .env, in which every variable of the configuration can be set', () => {
    expect(services.api.env_file).toBe('.env');
    const settable = [...readVariables()].filter((name) => !EXCLUDED.has(name));
    expect(settable.filter((name) => !(name in example))).toEqual([]);
    const names = Object.keys(services.api.environment).filter((name) => settable.includes(name));
    const { environment } = readCompose(Object.fromEntries(names.map((name) => [name, `the ${name} of .env`]))).services
      .api;
    const overridden = names.filter((name) => environment[name] !== `the ${name} of .env`);
    expect(overridden).toEqual([]);
  });

  it('names no variable that the server does not read', () => {
    const variables = readVariables();
    const named = Object.entries(services.api.environment).filter(([name]) => !variables.has(name));
    // The secrets of the proxy are in .env as well, so they are emptied.
    expect(named).toEqual([
      ['CLOUDFLARE_API_TOKEN', ''],
      ['RFC2136_KEY', ''],
    ]);
    expect([...EXCLUDED].filter((name) => !variables.has(name))).toEqual([]);
  });

  it('starts a server with .env.example and the secrets of create-secrets', async () => {
    await createSecrets();
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...example, ...services.api.environment }))
      env[name] = (value ?? '').replace(/^\/run\/secrets/, folder);
    const config = readConfig(env);
    const password = readFileSync(join(folder, 'postgres-password'), 'utf8').trim();
    expect(config).toMatchObject({
      mode: 'production',
      hosts: ['0.0.0.0'],
      dataDir: '/data',
      tlsOnDemand: 'all',
      databaseUrl: `postgres://berth:${password}@db:5432/berth`,
    });
    expect(config.secretKey).toHaveLength(32);
  });

  it('has a file for each secret, which create-secrets makes once, in a folder that only its owner can open', async () => {
    await createSecrets();
    const files = secretFiles();
    expect(files.map(({ name }) => `./secrets/${name}`)).toEqual(
      Object.values(secrets)
        .map(({ file }) => file)
        .toSorted(),
    );
    expect(statSync(folder).mode & 0o077).toBe(0);
    await createSecrets();
    expect(secretFiles()).toEqual(files);
    const used = new Set(Object.values(services).flatMap((service) => service.secrets ?? []));
    expect([...used].toSorted()).toEqual(Object.keys(secrets).toSorted());
  });

  it('reads only variables that .env.example has, if only as a comment', () => {
    const used = [...composeText.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name!);
    const commented = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^# ([A-Z0-9_]+)=/gm);
    const known = new Set([...Object.keys(example), ...[...commented].map(([, name]) => name!)]);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it('limits the log of each container, and lets the server write only to its data', () => {
    for (const service of Object.values(services))
      expect(service.logging.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
    expect(services.api.read_only).toBe(true);
  });
});
