import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from './checkout.ts';

export interface Service {
  image: string;
  profiles?: string[];
  volumes: string[];
  env_file?: string;
  environment: Record<string, string>;
  secrets: string[];
  read_only?: boolean;
  logging: { options: object };
  networks: { admin: { ipv4_address: string } };
  ports: string[];
}

export interface Compose {
  services: Record<'api' | 'api-2' | 'db' | 'proxy' | 'prometheus' | 'grafana' | 'seaweedfs' | 'bucket', Service>;
  secrets: Record<string, { file: string }>;
  networks: { admin: { ipam: { config: { subnet: string }[] } } };
}

export const composeText = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
/** The variables of `.env.example`. */
export const example = parseEnv(readFileSync(join(ROOT, '.env.example'), 'utf8'));

/** Reads the compose file with an environment, by default that of `.env.example`. */
export function readCompose(env: NodeJS.Dict<string> = {}): Compose {
  return parse(interpolate(composeText, { ...example, ...env }), { merge: true }) as Compose;
}

/** Replaces the variables of a compose file, also in the defaults of other variables. */
function interpolate(text: string, env: NodeJS.Dict<string>): string {
  const replaced = text.replace(
    /\$\{([A-Z0-9_]+)(?::-([^${}]*))?\}/g,
    (_match, name: string, fallback = '') => env[name] || fallback,
  );
  return replaced === text ? text : interpolate(replaced, env);
}
