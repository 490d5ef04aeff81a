import type { CodeLine, SyntaxNode } from '@klaus/sdk/conversation';
import type { Palette, Role } from './palette.ts';

/** Colours code. The grammars are loaded at the first use. */
export interface Highlighter {
  /** The lines of a code, in colour once the grammars are loaded. @param language Of a fence, or the name of a file. */
  highlight(code: string, language: string): string[];
  /** The pieces of each line with their roles. Undefined: it has no colours, or the grammars are not loaded. */
  toRoles(code: string, language: string): readonly (readonly CodeRole[])[] | undefined;
  /** Loads the grammars. Resolves at once if they are loaded. */
  load(): Promise<void>;
  /** True once the grammars are loaded. */
  readonly isLoaded: boolean;
}

/** A piece of a line of code; without a role it has the colour of the text. */
export interface CodeRole {
  text: string;
  role: Role | undefined;
}

/** Longer code is not coloured: it would block the terminal. */
const MAX_CODE = 60_000;

/** Roles of the scopes of highlight.js. Others have the colour of the text. */
const SCOPES: Readonly<Record<string, Role>> = {
  keyword: 'keyword',
  literal: 'number',
  number: 'number',
  string: 'string',
  regexp: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'title',
  section: 'title',
  name: 'title',
  type: 'title',
  built_in: 'title',
  attr: 'title',
  attribute: 'title',
  meta: 'comment',
  symbol: 'number',
  addition: 'added',
  deletion: 'removed',
};

type Parse = (code: string, name: string) => readonly CodeLine[] | undefined;

export function createHighlighter(palette: () => Palette): Highlighter {
  let parse: Parse | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    const { common, createLowlight } = await import('lowlight');
    const { toCodeLines, toLanguage } = await import('@klaus/sdk/conversation');
    const lowlight = createLowlight(common);
    parse = (code, name) => {
      const language = toLanguage(name);
      if (language === '') return undefined;
      return toCodeLines(lowlight.highlight(language, code).children as readonly SyntaxNode[]);
    };
  };
  const toRoles: Highlighter['toRoles'] = (code, name) => {
    const lines = code.length > MAX_CODE ? undefined : parse?.(code, name);
    return lines?.map((line) => line.map(({ kind, text }) => ({ text, role: SCOPES[kind] })));
  };
  return {
    highlight(code, name) {
      const lines = toRoles(code, name);
      if (!lines) return code.split('\n');
      const styles = palette();
      return lines.map((line) =>
        line.map(({ text, role }) => (role === undefined ? text : styles[role](text))).join(''),
      );
    },
    toRoles,
    load: () => (loading ??= load()),
    get isLoaded() {
      return parse !== undefined;
    },
  };
}
