import type { ClientAttentionItem } from '@klaus/sdk/client';

/** What an item is, in one word. */
export const KIND_NAMES: Readonly<Record<ClientAttentionItem['kind'], string>> = {
  call: 'approval',
  changes: 'review',
  plan: 'plan',
  limit: 'limit',
  blocked: 'blocked',
  interrupted: 'interrupted',
  failed: 'failed',
  done: 'done',
};

/** The command lines that do something about an item. @param at Such as ` --server URL`. */
export function toAttentionCommands({ id, action, session }: ClientAttentionItem, at: string): string[] {
  if (action === 'answer') return [`klaus approve ${id}${at}`, `klaus reject ${id}${at}`];
  return [...(action === 'resume' ? [`klaus resume ${session}${at}`] : []), `klaus show ${session}${at}`];
}

/** How long something has lasted, such as `5m`. @param now Unix milliseconds. */
export function toWaited(since: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
