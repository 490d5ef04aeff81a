import type { ReadyCall } from '../calls/judged-call.ts';
import { toCommandView } from '../calls/gate-context.ts';
import type { Work } from '../loop/work.ts';
import { decodeContent } from '../../policy/index.ts';
import { openedOf } from '../state/state.ts';
import type { FormatEnd, Formatter, FormatterOptions, ToolFormatter } from './formatter.ts';

/** The tool that formats files which the session has edited. */
export const FORMAT_FILES = 'format_files';

const BOM = '\uFEFF';

/** The formatters of a session; undefined if it may not run any. Starts nothing. */
export function openToolFormatter(work: Work): ToolFormatter | undefined {
  const { engine } = work;
  if (!isEnabled(work)) return undefined;
  return {
    applies: engine.settings.formatter!.mode === 'apply',
    format: async (files, signal) => (await openFormatter(work)).format(files, signal),
    editedFiles: () => readEditedFiles(work),
  };
}

/** What the formatters of the project say about the files that a call has written, for the model; '' if nothing. */
export async function reportFormat(work: Work, { call, intent, context }: ReadyCall): Promise<string> {
  const { formatter } = context;
  if (!formatter || formatter.applies || call.name === FORMAT_FILES || !intent.edits) return '';
  const files: { path: string; text: string }[] = [];
  for (const { path, content } of intent.edits) {
    const text = content === null ? undefined : decodeContent(content)?.text;
    if (text !== undefined) files.push({ path, text: toPlain(text) });
  }
  if (files.length === 0) return '';
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const unformatted = new Map<string, string[]>();
  const lines: string[] = [];
  for (const found of await formatter.format(files, work.stop)) {
    if ('failure' in found) lines.push(describeFailure(found));
    else if (toPlain(found.text) !== texts.get(found.path))
      unformatted.set(found.formatter, [...(unformatted.get(found.formatter) ?? []), found.path]);
  }
  for (const [name, paths] of unformatted) {
    const input = JSON.stringify({ paths });
    lines.push(`Not as ${name}, the formatter of the project, writes it. To apply it: ${FORMAT_FILES} ${input}`);
  }
  return lines.join('\n');
}

/** A failure in one line, with its code. */
export function describeFailure({ path, formatter, failure }: { path: string; formatter: string; failure: string }) {
  return `${path} was not formatted (format.failed): ${formatter} ${failure}`;
}

function toPlain(text: string): string {
  return (text.startsWith(BOM) ? text.slice(1) : text).replaceAll('\r\n', '\n');
}

/**
 * Formatters are code of the project that runs without a decision of the gate, so they run only where the sandbox keeps
 * them from changing anything, and only if the session may run commands.
 */
function isEnabled(work: Work): boolean {
  const { engine, state, authority } = work;
  if (!engine.settings.formatter || !engine.openFormatter || !state.session) return false;
  const driver = state.session.sandbox;
  if (driver === 'host' || (driver !== 'bubblewrap' && toCommandView(work).files)) return false;
  return authority.grant().authorities.some(({ kind }) => kind === 'exec');
}

function openFormatter(work: Work): Promise<Formatter> {
  const { engine } = work;
  return (work.servers.formatter ??= work.workspace().then((workspace) =>
    engine.openFormatter!({
      workspace,
      timeoutMs: engine.settings.formatter!.timeoutMs,
      exec: (request) =>
        openedOf(work.state).sandbox === 'bubblewrap' ? execReadOnly(work, request) : execOnLayer(work, request),
    }),
  ));
}

type Exec = FormatterOptions['exec'];

async function execReadOnly(work: Work, request: Parameters<Exec>[0]): Promise<FormatEnd> {
  const { files, readable } = toCommandView(work);
  const seen = files ? [...files.read, ...files.write] : [openedOf(work.state).workspace];
  const sandbox = await work.sandbox();
  return sandbox.exec({
    ...request,
    limits: { ...work.engine.settings.execLimits, ...request.limits },
    files: { read: seen, write: [] },
    readable,
  });
}

/** Where the workspace cannot be read-only for one command, it changes a layer, which is discarded. */
async function execOnLayer(work: Work, request: Parameters<Exec>[0]): Promise<FormatEnd> {
  const { readable } = toCommandView(work);
  const sandbox = await work.sandbox();
  const layer = await (await work.layers()).open({ signal: work.stop });
  try {
    const result = await sandbox.exec({
      ...request,
      limits: { ...work.engine.settings.execLimits, ...request.limits },
      workspaceAt: layer.folder,
      ...(layer.beside?.length ? { besideAt: layer.beside } : {}),
      readable,
    });
    const { paths, git } = await layer.touched();
    return { ...result, touched: [...paths, ...(git ? ['.git'] : [])] };
  } finally {
    await layer.close();
  }
}

async function readEditedFiles({ engine, session }: Work): Promise<Set<string>> {
  const edited = new Set<string>();
  for await (const events of engine.store.read(session))
    for (const event of events)
      if (event.type === 'tool.finished') for (const { path } of event.changes) edited.add(path);
  return edited;
}
