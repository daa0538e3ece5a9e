import { readFileSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { readVariables } from '../read-variables.ts';
import { ROOT } from './checkout.ts';

interface Container {
  ports: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
}

interface PodSpec {
  containers: [Container];
  securityContext: object;
  volumes: { name: string; secret?: { secretName: string } }[];
}

/** The fields of the manifests that the tests read. */
interface Manifest {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  stringData: Record<string, string>;
  spec: {
    replicas: number;
    selector: { matchLabels: object } & object;
    template: { metadata: { labels: object }; spec: PodSpec };
    ports: { targetPort: string }[];
  };
}

const schema = JSON.parse(readFileSync(join(ROOT, 'fixtures/kubernetes/schema.json'), 'utf8')) as object;
const isManifest = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

const manifests: Manifest[] = [];
for await (const file of glob('deploy/kubernetes/**/*.yaml', { cwd: ROOT }))
  for (const document of parseAllDocuments(await readFile(join(ROOT, file), 'utf8'))) manifests.push(document.toJS());

const find = (kind: string) => manifests.find((manifest) => manifest.kind === kind)!;

describe('the manifests for Kubernetes', () => {
  it.each(manifests.map((manifest) => [manifest.kind, manifest]))(
    'match the schema of Kubernetes: %s',
    (_, manifest) => {
      expect(isManifest(manifest), JSON.stringify(isManifest.errors?.slice(0, 5))).toBe(true);
    },
  );

  it('are checked by a schema that refuses unknown fields and wrong types', () => {
    const service = find('Service');
    const withPorts = (ports: object[]) => ({ ...service, spec: { ...service.spec, ports } });
    expect(isManifest(withPorts([{ port: 80, protocols: 'TCP' }]))).toBe(false);
    expect(isManifest(withPorts([{ port: '80' }]))).toBe(false);
    expect(isManifest(withPorts([{ port: 80 }]))).toBe(true);
  });

  it('route the service and the probes to the port of the server', () => {
    const { selector, template } = find('StatefulSet').spec;
    const [{ ports }] = template.spec.containers;
    expect(ports).toEqual([{ name: 'http', containerPort: readConfig({}).port }]);
    expect(find('Service').spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
    expect(find('Service').spec.selector).toEqual(selector.matchLabels);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
  });

  it('set only variables that exist, and take secrets from the files of the secret', () => {
    const [{ env, volumeMounts }] = find('StatefulSet').spec.template.spec.containers;
    const variables = readVariables();
    for (const name of [...env.map((entry) => entry.name), ...Object.keys(find('ConfigMap').data)])
      expect(variables).toContain(name);
    const { mountPath } = volumeMounts.find(({ name }) => name === 'secrets')!;
    expect(env.map(({ value }) => value)).toEqual(
      Object.keys(find('Secret').stringData).map((key) => `${mountPath}/${key}`),
    );
  });

  it('meet the restricted Pod Security Standard', () => {
    const { securityContext, containers } = find('StatefulSet').spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});
