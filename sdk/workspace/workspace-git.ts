import { relative, sep } from 'node:path';
import { listCommits, readCommit, readWorkingDiff, type GitCommit, type GitText } from '@klaus/adapters/tools';
import type { createSecretFiles } from '@klaus/adapters/workspace';
import { openSecretsOf, type Engine, type Workspace } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { isSecretFile } from '@klaus/core/policy';
import type { SandboxName } from '@klaus/core/protocol';

/** The configured sandbox of a folder; undefined: the best one that works. */
export type SandboxOf = (root: string) => Promise<SandboxName | undefined>;

/** What Git says about a workspace. Secrets are redacted, and the content of secret files is left out. */
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
   * @throws KlausError `tool.failed`, also if there is no such commit; `sandbox.unavailable`.
   */
  commit(hash: string): Promise<GitText>;
}

/** Most characters of a text. A browser stores a draft of this size. */
const MAX_CHARS = 150_000;

interface GitInput {
  workspace: Workspace;
  redact: (text: string) => Promise<string>;
  secretFiles: ReturnType<typeof createSecretFiles>;
  sandboxOf: SandboxOf;
}

export function openWorkspaceGit(engine: Engine, input: GitInput): WorkspaceGit {
  const { workspace, redact, secretFiles, sandboxOf } = input;
  const { root } = workspace;
  const open = async () => {
    const name = await sandboxOf(root);
    const secrets = openSecretsOf(engine, { workspace: root });
    const sandbox = await engine.openSandbox({ workspace: root, masks: () => secrets.files(), ...optional({ name }) });
    return { workspace, sandbox, signal: new AbortController().signal };
  };
  const toOptions = async () => {
    // Other names of secret files: hard links and the targets of links.
    const found = new Set((await secretFiles.find()).map((path) => relative(root, path).split(sep).join('/')));
    const patterns = engine.settings.secretPatterns;
    return { isHidden: (path: string) => found.has(path) || isSecretFile(path, patterns), maxChars: MAX_CHARS };
  };
  const withoutSecrets = async (given: GitText): Promise<GitText> =>
    given.text === null ? given : { ...given, text: await redact(given.text) };
  return {
    diff: async ({ staged = false } = {}) =>
      withoutSecrets(await readWorkingDiff(await open(), { ...(await toOptions()), staged })),
    async commits({ limit }) {
      const commits = await listCommits(await open(), { limit });
      // Secrets are read once for all subjects, which contain no NUL.
      const subjects = (await redact(commits.map(({ subject }) => subject).join('\0'))).split('\0');
      return commits.map((commit, at) => ({ ...commit, subject: subjects[at] ?? '' }));
    },
    commit: async (hash) => withoutSecrets(await readCommit(await open(), hash, await toOptions())),
  };
}
