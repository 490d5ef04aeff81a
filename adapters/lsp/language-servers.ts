import type { SearchedProgram } from '@klaus/adapters/system';

/** A program that speaks the Language Server Protocol over standard input and output. */
export interface LanguageServer {
  /** Its name. */
  readonly name: string;
  /** Its folders are relative to the workspace. */
  readonly program: SearchedProgram;
  /** Arguments with which it speaks the protocol. */
  readonly words: readonly string[];
  /** Arguments with which it ends at once, if it runs. Undefined: it has none. */
  readonly probe?: readonly string[];
  /** Language ids of the protocol, by the endings of the files. */
  readonly languages: Readonly<Record<string, string>>;
}

const NODE = ['node_modules/.bin'];
const PYTHON = ['.venv/bin', 'venv/bin', ...NODE];

/** The known servers. The first one that exists checks a file. */
const LANGUAGE_SERVERS: readonly LanguageServer[] = [
  {
    name: 'typescript-language-server',
    program: { name: 'typescript-language-server', folders: NODE },
    words: ['--stdio'],
    probe: ['--version'],
    languages: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
  },
  {
    name: 'pyright',
    program: { name: 'pyright-langserver', folders: PYTHON },
    words: ['--stdio'],
    languages: { '.py': 'python', '.pyi': 'python' },
  },
  {
    name: 'gopls',
    program: { name: 'gopls', folders: [] },
    words: [],
    probe: ['version'],
    languages: { '.go': 'go' },
  },
  {
    name: 'rust-analyzer',
    program: { name: 'rust-analyzer', folders: [] },
    words: [],
    probe: ['--version'],
    languages: { '.rs': 'rust' },
  },
  {
    name: 'clangd',
    program: { name: 'clangd', folders: [] },
    words: ['--background-index=false'],
    probe: ['--version'],
    languages: { '.c': 'c', '.h': 'c', '.cc': 'cpp', '.cpp': 'cpp', '.cxx': 'cpp', '.hh': 'cpp', '.hpp': 'cpp' },
  },
];

/** The server of a file and the language id, by its ending. */
export function findServer(path: string): { server: LanguageServer; language: string } | undefined {
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  for (const server of LANGUAGE_SERVERS) {
    const language = Object.hasOwn(server.languages, ending) ? server.languages[ending] : undefined;
    if (language !== undefined) return { server, language };
  }
  return undefined;
}
