import type { EventOf } from '@klaus/core/protocol';
import type { LocalServerView } from '@klaus/server/contract';
import type { AttachSource } from '../attach/attach-source.ts';
import type { Scope } from '../composer/mcp-prompts.ts';
import type { Attachment } from '../composer/attachment.ts';
import { createStore } from './store.ts';

/** The dialog over the page; one at a time. */
export type Overlay =
  | { kind: 'palette' }
  | { kind: 'keys' }
  | { kind: 'new-project' }
  | { kind: 'forget-projects' }
  /** The question before the first use of a program of this machine. */
  | { kind: 'use-local'; server: LocalServerView; model: string; onUse: () => void }
  | { kind: 'prompts'; draft: string; scope: Scope }
  | { kind: 'attach'; source: AttachSource; draft: string; scope: Scope }
  | { kind: 'attachment'; attachment: Attachment }
  | { kind: 'rename'; session: string }
  | { kind: 'budget'; session: string }
  | { kind: 'review'; asked: EventOf<'approval.asked'> }
  /** With a path: only this file, to its content before the turn. */
  | { kind: 'undo'; session: string; turn: number | undefined; path?: string }
  | { kind: 'commit'; session: string }
  | { kind: 'outline'; session: string }
  | { kind: 'compare'; session: string }
  /** `seq`: of an answer to the prompt. */
  | { kind: 'retry'; session: string; seq: number }
  | { kind: 'edit'; session: string; message: string; text: string };

export const overlay = createStore<Overlay | undefined>(undefined);

export function closeOverlay(): void {
  overlay.set(undefined);
}
