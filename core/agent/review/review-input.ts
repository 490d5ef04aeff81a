import { decodeContent } from '../../policy/index.ts';
import { toText, type Message, headOf } from '../../protocol/index.ts';
import { findErrors, toChangedFile, type ChangedFile, type Spoken } from '../../reviewers/index.ts';
import type { FileEdit, Workspace } from '../ports/workspace.ts';
import type { State } from '../state/state.ts';

/** Bytes of a file whose text is compared. Of a larger one, reviewers see only that it changed. */
const MAX_BYTES = 1_048_576;
/** Messages that a reviewer gets. */
const MAX_RECENT = 12;
const MAX_REQUESTS = 20;
/** Characters of a call in a list of what the agent did. */
const MAX_CALL = 2_000;

/** A file before and after an edit. */
export interface EditedText {
  path: string;
  /** Empty for a file that does not exist. */
  before: string;
  after: string;
  file: ChangedFile;
}

/** In place of a content that is no text, too large, or cannot be read. */
const UNREADABLE = '[content that cannot be shown]';

export async function readEdit(workspace: Workspace, { path, content, before }: FileEdit): Promise<EditedText> {
  const was = before === null ? undefined : await readText(workspace, path);
  const is = content === null ? undefined : toContent(content);
  const kind = before === null ? 'created' : content === null ? 'deleted' : 'modified';
  if (was === null || is === null) return { path, before: '', after: UNREADABLE, file: { path, kind, hunks: [] } };
  return { path, before: was ?? '', after: is ?? '', file: toChangedFile(path, was, is) };
}

async function readText(workspace: Workspace, path: string): Promise<string | null> {
  try {
    return toContent(await workspace.read(path, { maxBytes: MAX_BYTES + 1 }));
  } catch {
    // Someone changes the file now, and the edit will fail by its hash.
    return null;
  }
}

/** Null for content that is no text, or too large. */
function toContent(content: Uint8Array): string | null {
  return (content.length > MAX_BYTES ? undefined : decodeContent(content)?.text) ?? null;
}

/** The user's own messages, oldest first. In a child session: the task that its parent gave it. */
export function listRequests({ messages, firstPrompt }: State): string[] {
  const said = messages
    .filter(({ origin }) => origin === 'user' || origin === 'steer')
    .map((message) => toText(message))
    .filter((text) => text.trim() !== '');
  const isCompacted = firstPrompt !== undefined && !said.includes(firstPrompt);
  return [...(isCompacted ? [firstPrompt] : []), ...said].slice(-MAX_REQUESTS);
}

/** The latest messages as entries of a conversation. Of results, only those of failed calls. */
export function listRecent({ messages }: State): Spoken[] {
  return messages.slice(-MAX_RECENT).flatMap((message) => toSpoken(message));
}

/** Fingerprints of the errors about which a reviewer was asked before. */
export function listJudgedErrors({ messages, errorsReviewed }: State): string[] {
  const last = messages.findLastIndex(({ id }) => id === errorsReviewed);
  const judged = messages.slice(0, last + 1).slice(-MAX_RECENT);
  const outputs = judged.flatMap((message) => toSpoken(message)).filter(({ role }) => role === 'tool');
  return outputs.flatMap(({ text }) => findErrors(text)).map(({ fingerprint }) => fingerprint);
}

function toSpoken({ role, origin, parts }: Message): Spoken[] {
  if (origin === 'context' || origin === 'engine') return [];
  return parts.flatMap((part): Spoken[] => {
    switch (part.type) {
      case 'text':
        return [{ role, text: part.text }];
      case 'call':
        return [{ role, text: '', call: headOf(`${part.name}: ${JSON.stringify(part.input ?? null)}`, MAX_CALL) }];
      case 'result':
        return part.isError ? [{ role: 'tool', text: part.text }] : [];
      default:
        return [];
    }
  });
}

/** The instructions of the project that the model got; undefined without any. */
export function toRules({ messages }: State): string | undefined {
  const texts = messages.filter(({ origin }) => origin === 'context').map((message) => toText(message));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
