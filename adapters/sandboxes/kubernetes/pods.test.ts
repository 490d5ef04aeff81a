import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bootId } from '../background/process-files.ts';
import { listSandboxes, pruneSandboxes } from '../list-sandboxes.ts';
import { ownNamespace } from '../process/owner.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { startApiServer } from './api-server.fixture.ts';
import { toPodNames } from './pods.ts';

test('pods of all processes are listed, and those of ended processes removed', async () => {
  using place = createSandboxFixture();
  await using server = await startApiServer();
  const file = join(place.root, 'config');
  server.writeConfig(file);
  const outer = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = file;
  try {
    const add = (id: string, phase: string, owner?: string): void => {
      const { name, labels, annotations } = toPodNames(
        { workspace: '/srv/project', session: 'S1', owner: undefined },
        id,
      );
      const owned = owner === undefined ? annotations : { ...annotations, 'klaus.owner': owner };
      server.state.pods.set(name, { metadata: { name, labels, annotations: owned }, status: { phase } });
    };
    add('own', 'Running');
    add('other', 'Pending', 'another-machine/1-1-1');
    add('ended', 'Succeeded', 'another-machine/1-1-1');
    add('killed', 'Running', `${bootId()}/${ownNamespace()}-4194304-1`);
    const kubernetes = {};
    const listed = (await listSandboxes(place.root, { kubernetes })).filter(({ driver }) => driver === 'kubernetes');
    expect(listed.map(({ id, state, isOrphan }) => [id, state, isOrphan])).toEqual([
      ['klaus-own', 'running', false],
      ['klaus-other', 'pending', false],
      ['klaus-ended', 'succeeded', true],
      ['klaus-killed', 'running', true],
    ]);
    expect(listed[0]).toMatchObject({ session: 'S1', workspace: '/srv/project' });
    const removed = (await pruneSandboxes({ kubernetes })).filter(({ driver }) => driver === 'kubernetes');
    expect(removed.map(({ id }) => id)).toEqual(['klaus-ended', 'klaus-killed']);
    expect([...server.state.pods.keys()]).toEqual(['klaus-own', 'klaus-other']);
  } finally {
    if (outer === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = outer;
  }
});
