import { isGone } from '../process/owner.ts';
import { runDocker } from './docker-cli.ts';

/** Labels of every container: the Klaus process that started it, and what for. */
export const OWNER_LABEL = 'klaus.owner';
export const SESSION_LABEL = 'klaus.session';
export const WORKSPACE_LABEL = 'klaus.workspace';

const ROW_FORMAT = JSON.stringify({
  id: '{{.ID}}',
  name: '{{.Names}}',
  image: '{{.Image}}',
  state: '{{.State}}',
  createdAt: '{{.CreatedAt}}',
}).replace(
  /}$/,
  `,"owner":{{json (.Label "${OWNER_LABEL}")}},"session":{{json (.Label "${SESSION_LABEL}")}},"workspace":{{json (.Label "${WORKSPACE_LABEL}")}}}`,
);

/** A starting container is not running yet. One that is not running for longer than this never will be. */
const STARTING_MS = 60_000;

/** A container of the sandbox. */
export interface SandboxContainer {
  id: string;
  name: string;
  image: string;
  /** As Docker names it, such as `running`, `created` or `exited`. */
  state: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** Empty for a command outside of a session. */
  session: string;
  workspace: string;
  /** True if no Klaus process uses it any more. */
  isOrphan: boolean;
}

/** The containers of all Klaus processes on this engine; none if the engine does not answer. */
export async function listContainers(): Promise<SandboxContainer[]> {
  const listed = await runDocker(['ps', '--all', '--filter', `label=${OWNER_LABEL}`, '--format', ROW_FORMAT]);
  if (!listed.ok) return [];
  return listed.stdout.split('\n').flatMap((line) => {
    if (line === '') return [];
    const { owner, ...row } = JSON.parse(line) as Record<'owner' | 'createdAt', string> &
      Omit<SandboxContainer, 'createdAt'>;
    // "2026-11-27 02:01:31 +0000 UTC"
    const createdAt = Date.parse(row.createdAt.replace(/ [A-Z]+$/, ''));
    const isStale = row.state !== 'running' && Date.now() - createdAt > STARTING_MS;
    return [{ ...row, createdAt, isOrphan: isGone(owner) || isStale }];
  });
}

/**
 * Removes the containers that no Klaus process uses any more. A killed client may leave one that was never started.
 *
 * @returns The removed ones.
 */
export async function removeOrphans(): Promise<SandboxContainer[]> {
  const orphans = (await listContainers()).filter(({ isOrphan }) => isOrphan);
  if (orphans.length > 0) await runDocker(['rm', '--force', '--volumes', ...orphans.map(({ id }) => id)]);
  return orphans;
}
