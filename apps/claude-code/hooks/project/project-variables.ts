import { userInfo } from 'node:os';
import { listProjectSettings } from '../heartbeat/find-problems.ts';
import { readObject, toRecord } from './command-lines.ts';

/**
 * Deletes the variables that settings of a project set for its hooks: a daemon that a hook starts would keep them, and
 * obey another project's address of the model.
 *
 * @param env Is changed.
 */
export function leaveOutProjectVariables(env: Record<string, string | undefined>, project: string | undefined): void {
  if (project === undefined || project === '') return;
  // The hook sets these.
  const kept = /^(?:PATH|CLAUDE_PROJECT_DIR|KLAUS_HOME)$/;
  for (const file of listProjectSettings(project))
    for (const name of Object.keys(toRecord(readObject(file)['env'])))
      if (name === 'HOME') env[name] = userInfo().homedir;
      else if (!kept.test(name)) delete env[name];
}
