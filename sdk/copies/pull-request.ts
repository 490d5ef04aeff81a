import { readLog } from '@klaus/core/agent';
import { toText } from '@klaus/core/protocol';
import type { CopyParts, CopyRecord } from './settle-copies.ts';
import type { PullRequest } from './working-copy.ts';

const MAX_FILES = 50;

/** Writes title and body from the log: the last answer, the changed files, and the checks of the last run that had any. */
export async function writePullRequest(
  { store, copies, engine }: CopyParts,
  record: CopyRecord,
  { commit, into, title }: { commit: string; into: string | undefined; title: string },
): Promise<PullRequest> {
  const { session, path, repository, branch, target = null } = record;
  const known = (await store.head(session)) !== undefined;
  const events = known ? await readLog(engine.store, session) : [];
  const answers = events.flatMap((event) =>
    event.type === 'message.added' && event.message.origin === 'model' ? [toText(event.message).trim()] : [],
  );
  const checks = events.flatMap((event) =>
    event.type === 'run.finished' && event.evidence.length > 0 ? [event.evidence] : [],
  );
  const summary = answers.findLast((text) => text !== '') ?? title;
  const files = await copies.changedFiles(record, { commit, into: into ?? target ?? undefined });
  const sections = [summary];
  if (files.length > 0) {
    const shown = files.slice(0, MAX_FILES).map((file) => `- \`${file}\``);
    const more = files.length > MAX_FILES ? [`- and ${files.length - MAX_FILES} more`] : [];
    sections.push(['## Changed files', '', ...shown, ...more].join('\n'));
  }
  const last = checks.at(-1) ?? [];
  if (last.length > 0) {
    const lines = last.map(
      ({ command, exitCode }) => `- \`${command}\`: ${exitCode === 0 ? 'passed' : `exit code ${exitCode}`}`,
    );
    sections.push(['## Checks', '', ...lines].join('\n'));
  }
  return {
    session,
    path,
    repository,
    branch,
    target: into ?? target,
    commit,
    title,
    body: `${sections.join('\n\n')}\n`,
  };
}
