import { headOf } from '@klaus/core/cut-text';
import { useEffect, useState } from 'react';
import { availableCommands } from '../actions/commands.ts';
import type { McpPromptCommand } from '@klaus/core/protocol';
import type { SavedPromptView } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { useText } from '../text/text.ts';
import type { Completion } from './completion.ts';
import { loadMcpPrompts, toSuggestion, type Scope } from './mcp-prompts.ts';
import type { Suggestion, Suggestions } from './completion-list.tsx';

const MAX_FILES = 30;

export function useSuggestions(open: Completion | undefined, { session, workspace }: Scope): Suggestions {
  const t = useText();
  const [files, setFiles] = useState<{ query: string; paths: readonly string[] } | undefined>();
  const query = open?.kind === 'file' ? open.query : undefined;
  useEffect(() => {
    if (query === undefined) return undefined;
    const ended = new AbortController();
    const scope = session === undefined ? (workspace === undefined ? {} : { workspace }) : { session };
    client
      .findFiles({ query: { ...scope, q: query, limit: MAX_FILES } }, { signal: ended.signal })
      .then(({ paths }) => setFiles({ query, paths }))
      // Without a connection there are no suggestions; the page already reports it.
      .catch(() => undefined);
    return () => ended.abort();
  }, [query, session, workspace]);
  const saved = useSavedPrompts(open?.kind === 'command', { session, workspace });
  const prompts = useMcpPrompts(open?.kind === 'command', { session, workspace });
  if (!open) return { items: [], isLoading: false };
  if (open.kind === 'file') {
    const items = (files?.paths ?? []).map((path): Suggestion => ({ word: `@${path}` }));
    return { items, isLoading: files?.query !== open.query };
  }
  const items = availableCommands().flatMap(({ slash, aliases = [], run }) =>
    [...(slash === undefined ? [] : [slash]), ...aliases]
      .filter((name) => name.startsWith(open.query))
      .map((name): Suggestion => ({ word: `/${name}`, description: t.slash[name], run })),
  );
  const found = prompts?.filter(({ command }) => command.toLowerCase().includes(open.query.toLowerCase())) ?? [];
  const known = new Set(items.map(({ word }) => word));
  const own = (saved ?? [])
    .filter(({ name }) => name.toLowerCase().includes(open.query.toLowerCase()) && !known.has(`/${name}`))
    .map(({ name, argumentHint, description, text }): Suggestion => ({
      word: `/${name}`,
      description: [argumentHint, description ?? headOf(text, 80)].filter(Boolean).join(' · '),
      insert: text,
    }));
  const isLoading = prompts === undefined || saved === undefined;
  return { items: [...items, ...own, ...found.map(toSuggestion)], isLoading };
}

/** The saved prompts, loaded each time that commands are completed. Undefined: not loaded yet. */
function useSavedPrompts(isOpen: boolean, { session, workspace }: Scope): readonly SavedPromptView[] | undefined {
  const [prompts, setPrompts] = useState<readonly SavedPromptView[]>();
  useEffect(() => {
    if (!isOpen) return undefined;
    const ended = new AbortController();
    client
      .prompts({ query: { session, workspace } }, { signal: ended.signal })
      .then((answer) => setPrompts(answer.prompts))
      .catch(() => {
        if (!ended.signal.aborted) setPrompts([]);
      });
    return () => ended.abort();
  }, [isOpen, session, workspace]);
  return prompts;
}

/** The prompts of MCP servers, loaded each time that commands are completed. Undefined: not loaded yet. */
function useMcpPrompts(isOpen: boolean, { session, workspace }: Scope): readonly McpPromptCommand[] | undefined {
  const [prompts, setPrompts] = useState<readonly McpPromptCommand[]>();
  useEffect(() => {
    if (!isOpen) return undefined;
    const ended = new AbortController();
    loadMcpPrompts({ session, workspace }, ended.signal)
      .then(setPrompts)
      .catch(() => {
        if (!ended.signal.aborted) setPrompts([]);
      });
    return () => ended.abort();
  }, [isOpen, session, workspace]);
  return prompts;
}
