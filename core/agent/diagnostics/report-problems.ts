import { CONTAINER_SANDBOXES, headOf } from '../../protocol/index.ts';
import type { Intent } from '../ports/tool.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import { toCommandView } from '../calls/gate-context.ts';
import type { Work } from '../loop/work.ts';
import { openedOf } from '../state/state.ts';
import type { TextsBefore } from './texts-before.ts';
import type { EditedFile, Problem } from './diagnostics.ts';

/** Bytes of a file. Servers get no larger one. */
const MAX_BYTES = 512 * 1_024;
/** Maximum files of a call, and problems that are listed. */
const MAX_FILES = 20;
const MAX_PROBLEMS = 20;
const MAX_MESSAGE = 400;

/** Reads what a call is about to replace. Empty if the session uses no language servers. */
export async function readTextsBefore(work: Work, workspace: Workspace, { edits = [] }: Intent): Promise<TextsBefore> {
  const texts = new Map<string, string>();
  if (!isEnabled(work)) return texts;
  for (const { path, content, before } of edits.slice(0, MAX_FILES)) {
    if (content === null || content.length > MAX_BYTES || isOutside(path)) continue;
    const state = await workspace.stat(path);
    if (before !== null && (state?.kind !== 'file' || state.size > MAX_BYTES)) continue;
    texts.set(path, before === null ? '' : decode(await workspace.read(path)));
  }
  return texts;
}

/** The new problems of the files that a call has changed, and why servers cannot run, for the model; '' if nothing. */
export async function reportProblems(work: Work, { before, intent }: ReadyCall): Promise<string> {
  if (!before || before.size === 0) return '';
  const files: EditedFile[] = [];
  for (const { path, content } of intent.edits ?? []) {
    const text = before.get(path);
    if (content !== null && text !== undefined) files.push({ path, before: text, after: decode(content) });
  }
  const servers = (work.servers.diagnostics ??= openServers(work));
  const { problems, obstacles } = await (await servers).findNew(files, work.stop);
  return [describe(problems), ...obstacles].filter((part) => part !== '').join('\n');
}

/**
 * A session without the authority to run commands starts no server. Neither does one in a container, which cannot keep a
 * server from changing the workspace.
 */
function isEnabled({ engine, state, authority }: Work): boolean {
  if (!engine.settings.lsp || !engine.openDiagnostics || !state.session) return false;
  if (CONTAINER_SANDBOXES[state.session.sandbox] !== undefined) return false;
  return authority.grant().authorities.some(({ kind }) => kind === 'exec');
}

function openServers(work: Work) {
  const { workspace, sandbox: driver } = openedOf(work.state);
  return work.engine.openDiagnostics!({
    workspace,
    timeoutMs: work.engine.settings.lsp!.timeoutMs,
    async exec(request) {
      const { files, readable } = toCommandView(work);
      const seen = files ? [...files.read, ...files.write] : [workspace];
      const limits = { ...work.engine.settings.execLimits, ...request.limits };
      return (await work.sandbox()).exec({
        ...request,
        limits,
        ...(driver === 'bubblewrap' ? { files: { read: seen, write: [] } } : files ? { files } : {}),
        readable,
      });
    },
  });
}

function isOutside(path: string): boolean {
  return path.startsWith('/');
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function describe(problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ path, line, column, severity, code, message, server }) => {
    const text = headOf(message.replaceAll(/\s+/g, ' '), MAX_MESSAGE);
    return `${path}:${line}:${column} ${severity}${code === undefined ? '' : ` ${code}`}: ${text} (${server})`;
  });
  const rest = problems.length > MAX_PROBLEMS ? `\n[… ${problems.length - MAX_PROBLEMS} more]` : '';
  return `New problems in the edited files:\n${lines.join('\n')}${rest}`;
}
