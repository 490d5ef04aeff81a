// Covers deploy, apps/server/observability: the files that start a cluster name settings, packages and metrics that exist.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '@klaus/core/protocol';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../../apps/server/observability/metrics.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const KUBERNETES = join(DEPLOY, 'kubernetes');
const read = (...names: string[]): string => readFileSync(join(ROOT, ...names), 'utf8');

/** Variables of settings, and the one of the server. */
const VARIABLES = new Set([
  'AGENT_API_SECRET',
  ...Object.values(SETTINGS).flatMap(({ env }) => (env === undefined ? [] : [env].flat())),
]);

interface ComposeService {
  command?: string[];
  image: string;
  environment?: Record<string, string | null>;
  ports?: string[];
}

interface Manifest {
  kind: string;
  data?: Record<string, string>;
  spec: {
    replicas: number;
    template: { spec: { automountServiceAccountToken: boolean; containers: { args: string[]; image: string }[] } };
  };
}

const compose = parse(read('deploy', 'compose.cluster.yaml'), { merge: true }) as {
  services: Record<string, ComposeService>;
};
const servicesOf = (word: string): ComposeService[] =>
  Object.values(compose.services).filter(({ command }) => command?.[0] === word);

describe('compose.cluster.yaml', () => {
  test('has two servers and three workers, of which every variable is a setting', () => {
    expect([servicesOf('serve').length, servicesOf('worker').length]).toEqual([2, 3]);
    for (const { environment } of [...servicesOf('serve'), ...servicesOf('worker')]) {
      expect(Object.keys(environment!).filter((name) => !VARIABLES.has(name))).toEqual([]);
    }
  });

  test('publishes ports of servers on the loopback address only', () => {
    const ports = Object.values(compose.services).flatMap(({ ports: own = [] }) => own);
    expect(ports).toHaveLength(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test('Temporal has the values that the documentation asks for', () => {
    expect(compose.services['temporal']!.environment).toMatchObject({ NUM_HISTORY_SHARDS: '512' });
    const values = parse(read('deploy', 'temporal', 'klaus.yaml')) as Record<string, { value: unknown }[]>;
    const documented = read('docs', 'cluster.md').matchAll(/--dynamic-config-value (\S+)=(\S+)/g);
    const asked = Object.fromEntries([...documented].map(([, name, value]) => [name!, value!]));
    expect(Object.keys(asked)).not.toEqual([]);
    expect(Object.fromEntries(Object.entries(values).map(([name, [one]]) => [name, String(one!.value)]))).toEqual(
      asked,
    );
  });

  test.skipIf(spawnSync('docker-compose', ['version']).status !== 0)('is valid (needs docker-compose)', () => {
    const env = { ...process.env, AGENT_API_SECRET: 'a', CLUSTER_PASSWORD: 'b', AGENT_WORKSPACE: '/tmp' };
    const words = ['-f', 'compose.cluster.yaml', 'config', '--quiet'];
    const { status, stderr } = spawnSync('docker-compose', words, { cwd: DEPLOY, env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('the base for Kubernetes', () => {
  const { resources } = parse(read('deploy', 'kubernetes', 'kustomization.yaml')) as { resources: string[] };
  const manifests = resources.flatMap((name) =>
    parseAllDocuments(readFileSync(join(KUBERNETES, name), 'utf8')).map((document) => document.toJS() as Manifest),
  );

  test('lists each of its files', () => {
    expect([...resources, 'kustomization.yaml'].toSorted()).toEqual(readdirSync(KUBERNETES).toSorted());
  });

  test('every variable is a setting, and pods get no token of the cluster', () => {
    const names = manifests.flatMap(({ kind, data = {} }) => (kind === 'ConfigMap' ? Object.keys(data) : []));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !VARIABLES.has(name))).toEqual([]);
    const pods = manifests.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec);
    expect(pods.map(({ containers }) => containers[0]!.args[0])).toEqual(['serve', 'worker']);
    for (const pod of pods) expect(pod.automountServiceAccountToken).toBe(false);
  });

  test.skipIf(spawnSync('kubectl', ['version', '--client']).status !== 0)('can be built (needs kubectl)', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', KUBERNETES], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.match(/^kind: Deployment$/gm)).toHaveLength(2);
  });
});

describe('the dashboard of Grafana', () => {
  test('shows every metric, and no other', async () => {
    const metrics = createMetrics({ running: () => 0, queued: () => 0, approvals: () => 0, subscribers: () => ({}) });
    const text = await metrics.toText();
    metrics.close();
    const served = new Set([...text.matchAll(/^# TYPE (klaus_\w+)/gm)].map(([, name]) => name!));
    const dashboard = JSON.parse(read('deploy', 'grafana', 'klaus.json')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const texts = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const shown = new Set(
      texts.flatMap((expr) => expr.match(/klaus_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, '')),
    );
    expect([...shown].toSorted()).toEqual([...served].toSorted());
  });
});
