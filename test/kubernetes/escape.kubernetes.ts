// Covers adapters/sandboxes/kubernetes: all ways out of a pod, in a cluster with one node.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareEscapes } from '../escape/suite.ts';
import type { World } from '../escape/world.ts';
import { startCluster } from './cluster.fixture.ts';

/** Runs every nth case. Default 1. */
const every = Number(process.env['KLAUS_ESCAPE_STEP'] ?? 1);
const { cluster, ...missing } = await startCluster();
if (cluster) {
  process.env['KUBECONFIG'] = cluster.configs.worker;
  const profile = join(import.meta.dirname, `../../deploy/kubernetes-pods/seccomp-${process.arch}.json`);
  copyFileSync(profile, join(cluster.profiles, 'sandbox.json'));
  // The user of this machine trusts the repository, which belongs to the user of the pods.
  Object.assign(process.env, {
    ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  });
}

const toOptions = ({ root, workspace }: World) => {
  // No pod runs as root.
  execFileSync('chown', ['-R', '1234:1234', workspace]);
  const kubernetes = { volumes: [`${root}=host:${root}`], enforcesPolicies: true };
  const settings = { ...kubernetes, userNamespace: false, seccompProfile: 'sandbox.json' };
  return { kubernetes: settings, image: cluster!.image };
};

const prepared = cluster ? { toOptions, close: () => cluster.close() } : missing;
await declareEscapes({ every, driver: 'kubernetes', prepared });
