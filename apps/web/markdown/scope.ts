import { createContext, useContext } from 'react';

/** What a Markdown text belongs to. */
export interface Scope {
  /** The session whose workspace has the files that the text names; undefined: paths are text. */
  session: string | undefined;
  /** The folder of the file that the text is from, without a slash at the end. Default: the workspace. */
  folder?: string;
  /** The complete text, for footnotes of other parts. */
  source: string;
  /** True while the text is streamed. */
  isGrowing: boolean;
}

export const ScopeContext = createContext<Scope>({ session: undefined, source: '', isGrowing: false });

export function useScope(): Scope {
  return useContext(ScopeContext);
}
