import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFileReads } from './file-reads.ts';

const root = join(import.meta.dirname, '..');

/**
 * The places that open files with a function of Node, by the reason why none of them waits. A path in a workspace or in Git
 * data can be a named pipe or a device: it goes through `adapters/system/foreign-file.ts`.
 */
const KNOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'opened without waiting, and read only if it is a regular file': {
    'adapters/sandboxes/home/shared-cache.ts': 1,
    'adapters/system/foreign-file.ts': 3,
    'adapters/workspace/content.ts': 1,
    'adapters/workspace/host-files.ts': 1,
    'adapters/workspace/layer/copy-file.ts': 3,
    'adapters/workspace/secrets/scan-files.ts': 1,
    'adapters/workspace/secrets/secret-source.ts': 1,
    'adapters/workspace/snapshots/git/git-state.ts': 1,
    'adapters/workspace/snapshots/scan/file-reader.ts': 2,
    'sdk/agents/agent-store.ts': 2,
    'sdk/open/user-instructions.ts': 1,
    'sdk/skills/skill-files.ts': 2,
  },
  'created by this call, or a folder': {
    'adapters/sandboxes/background/process-files.ts': 2,
    'adapters/sandboxes/protection/object-store.ts': 1,
    'adapters/system/make-folder.ts': 1,
    'adapters/workspace/apply.ts': 3,
    'adapters/workspace/changed-since.ts': 1,
    'adapters/workspace/compare-names.ts': 2,
    'adapters/workspace/directory.ts': 1,
    'adapters/workspace/snapshots/objects/object-writer.ts': 2,
    'adapters/workspace/snapshots/restore/restore-step.ts': 4,
    'adapters/workspace/snapshots/transfer/check-out.ts': 1,
    'apps/cli/daemon/start-daemon.ts': 2,
    'apps/cli/instance/runtime-log.ts': 2,
    'apps/server/observability/daily-log-file.ts': 1,
  },
  'copied by `cpSync`, which refuses pipes and devices': { 'adapters/workspace/snapshots/git/move-tree.ts': 1 },
  'files of the kernel': {
    'adapters/sandboxes/background/listening.ts': 1,
    'adapters/sandboxes/bubblewrap/mounts/check-mounts.ts': 1,
    'adapters/sandboxes/cgroup/cgroup-mounts.ts': 2,
    'adapters/sandboxes/cgroup/freezer.ts': 2,
    'adapters/sandboxes/cgroup/resource-group.ts': 4,
    'adapters/sandboxes/host/marked-processes.ts': 1,
    'adapters/sandboxes/process/process-table.ts': 3,
    'adapters/sandboxes/protection/sockets.ts': 1,
    'adapters/sandboxes/read-text.ts': 1,
    'adapters/system/listener.ts': 1,
    'adapters/workspace/layer/mounts.ts': 1,
    'apps/claude-code/hooks/heartbeat/claude-sessions.ts': 2,
    'apps/cli/daemon/find-holder.ts': 1,
  },
  'pipes and terminals that Klaus opens on purpose': {
    'adapters/sandboxes/background/create-processes.ts': 1,
    'adapters/sandboxes/process/pipe-pool.ts': 2,
    'apps/cli/prompt/clack-questions.ts': 1,
    'apps/cli/prompt/keyboard.ts': 2,
  },
  'the state of Klaus, which no command can write': {
    'adapters/sandboxes/background/process-output.ts': 1,
    'adapters/sandboxes/background/process-status.ts': 1,
    'adapters/sandboxes/bubblewrap/etc-folder.ts': 3,
    'adapters/sandboxes/protection/scan-cache.ts': 2,
    'adapters/tools/git/commits/user-git.ts': 1,
    'adapters/workspace/copies/copy-record.ts': 1,
    'adapters/workspace/copies/initialize-copy.ts': 1,
    'adapters/workspace/journal.ts': 1,
    'adapters/workspace/layer/copy-index.ts': 1,
    'adapters/workspace/layer/overlay-layer.ts': 3,
    'adapters/workspace/layer/owner.ts': 1,
    'adapters/workspace/secrets/read-history.ts': 2,
    'adapters/workspace/snapshots/objects/objects.ts': 1,
    'adapters/workspace/snapshots/snapshot-stores.ts': 1,
    'apps/cli/client/http/connect-server.ts': 2,
    'apps/cli/daemon/server-descriptor.ts': 1,
    'apps/server/access/sign-in/ended-sign-ins.ts': 1,
    'apps/server/access/token.ts': 2,
    'apps/server/projects/clones.ts': 2,
    'apps/server/projects/project-folders.ts': 1,
    'apps/server/server.ts': 1,
    'apps/server/sockets/chat.ts': 1,
    'apps/terminal/composer/history.ts': 1,
    'apps/terminal/preferences.ts': 1,
    'sdk/agents/agent-file.ts': 1,
    'sdk/cluster/cluster-services.ts': 1,
    'sdk/cluster/managed-folder.ts': 1,
    'sdk/diagnose/check-server.ts': 1,
    'sdk/verification/check-environment.ts': 1,
  },
  'programs, images and files that belong to the installation': {
    'adapters/sandboxes/docker/image/build-image.ts': 1,
    'adapters/sandboxes/docker/image/stage-root.ts': 2,
    'adapters/system/program-binds.ts': 1,
    'apps/cli/demo/prepare-demo.ts': 1,
    'apps/server/http/static-files.ts': 1,
  },
  'files of the user outside of projects': {
    'adapters/sandboxes/home/user-caches.ts': 1,
    'adapters/sandboxes/network/registries.ts': 1,
    'apps/claude-code/wrap/wrap-runner.ts': 1,
  },
  'named by the user for this call, or edited by the user': {
    'apps/cli/commands/agents/edit.ts': 2,
    'apps/cli/commands/agents/transfer.ts': 1,
    'apps/cli/commands/approvals/approve.ts': 2,
    'apps/cli/commands/guard/test-event.ts': 1,
    'apps/cli/prompt/approval-prompt.ts': 1,
    'apps/cli/run/output-schema.ts': 1,
    'apps/terminal/app/external-editor.ts': 1,
    'apps/terminal/composer/prompt-parts.ts': 1,
  },
};

test('no other place opens files', () => {
  expect(findFileReads(root)).toEqual(Object.assign({}, ...Object.values(KNOWN)));
});

test('each way to open a file is found', () => {
  const tree = mkdtempSync(join(tmpdir(), 'klaus-reads-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  const files = {
    'sdk/a.ts': "import { readFileSync as read } from 'node:fs';\nexport const f = (path: string) => read(path);",
    'sdk/b.ts': "import * as fs from 'fs';\nexport const f = (path: string) => [fs.openSync(path), fs.statSync(path)];",
    'core/c.ts':
      "import { copyFile, open } from 'node:fs/promises';\nexport const f = [open('a'), copyFile('a', 'b')];",
    'core/d.ts': "import { open } from './other.ts';\nexport const f = open('a');",
    'core/e.test.ts': "import { open } from 'node:fs/promises';\nexport const f = open('a');",
    'apps/web/f.ts': "import { open } from 'node:fs/promises';\nexport const f = open('a');",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  expect(findFileReads(tree)).toEqual({ 'sdk/a.ts': 1, 'sdk/b.ts': 1, 'core/c.ts': 2 });
});
