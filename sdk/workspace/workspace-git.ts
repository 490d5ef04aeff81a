import { listCommits, readCommit, readWorkingDiff, type GitCommit, type GitText } from '@klaus/adapters/tools';
import { openSecretsOf, type Engine, type Workspace } from '@klaus/core/agent';
import type { SandboxName } from '@klaus/core/protocol';
import { findHiddenFiles } from './hidden-files.ts';
import { redactIn } from './redact-in.ts';

/** What is in force in a folder: the engine with its policy, and its sandbox; without one, the best one that works. */
export type InForceOf = (root: string) => Promise<{ engine: Engine; sandbox: SandboxName | undefined }>;

/**
 * What Git says about a workspace. Secrets are redacted. The content of secret files is left out, and that of files whose
 * reading the policy denies.
 */
export interface WorkspaceGit {
  /**
   * The changes that are not committed, with new files.
   *
   * @param options.staged True: only those in the index. Default false.
   * @throws KlausError `tool.failed`, `sandbox.unavailable`.
   */
  diff(options?: { staged?: boolean }): Promise<GitText>;
  /** The latest commits, the newest first. @throws KlausError `tool.failed`, `sandbox.unavailable`. */
  commits(options: { limit: number }): Promise<GitCommit[]>;
  /**
   * The message and the diff of a commit.
   *
   * @param hash At least four hexadecimal digits.
   * @throws KlausError `usage` if there is no such commit; `tool.failed`, `sandbox.unavailable`.
   */
  commit(hash: string): Promise<GitText>;
}

/** Most characters of a text. A browser stores a draft of this size. */
const MAX_CHARS = 150_000;

interface GitInput {
  workspace: Workspace;
  inForceOf: InForceOf;
}

export function openWorkspaceGit({ workspace, inForceOf }: GitInput): WorkspaceGit {
  const { root } = workspace;
  const open = async () => {
    const { engine, sandbox: name } = await inForceOf(root);
    const secrets = openSecretsOf(engine, { workspace: root });
    const sandbox = await engine.openSandbox({ workspace: root, masks: () => secrets.files(), name });
    return {
      context: { workspace, sandbox, signal: new AbortController().signal },
      options: { isHidden: await findHiddenFiles(engine, root), maxChars: MAX_CHARS },
      redact: (text: string) => redactIn(engine, root, text),
    };
  };
  return {
    async diff({ staged = false } = {}) {
      const { context, options, redact } = await open();
      return redactText(await readWorkingDiff(context, { ...options, staged }), redact);
    },
    async commits({ limit }) {
      const { context, redact } = await open();
      const commits = await listCommits(context, { limit });
      // Secrets are read once for all texts, which contain no NUL.
      const texts = (await redact(commits.flatMap(({ subject, author }) => [subject, author]).join('\0'))).split('\0');
      return commits.map((commit, at) => ({
        ...commit,
        subject: texts[2 * at] ?? '',
        author: texts[2 * at + 1] ?? '',
      }));
    },
    async commit(hash) {
      const { context, options, redact } = await open();
      return redactText(await readCommit(context, hash, options), redact);
    },
  };
}

async function redactText(given: GitText, redact: (text: string) => Promise<string>): Promise<GitText> {
  return given.text === null ? given : { ...given, text: await redact(given.text) };
}
