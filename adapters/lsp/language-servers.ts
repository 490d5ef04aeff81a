/** A program that speaks the Language Server Protocol over standard input and output. */
export interface LanguageServer {
  /** Its name, which is also that of the program. */
  readonly name: string;
  /** The program with its arguments. Searched in the project first, then on the path. */
  readonly command: readonly string[];
  /** Folders of programs in the project, relative to the workspace. */
  readonly folders: readonly string[];
  /** Language ids of the protocol, by the endings of the files. */
  readonly languages: Readonly<Record<string, string>>;
}

const NODE = ['node_modules/.bin'];
const PYTHON = ['.venv/bin', 'venv/bin', ...NODE];

/** The known servers. The first one that exists checks a file. */
const LANGUAGE_SERVERS: readonly LanguageServer[] = [
  {
    name: 'typescript-language-server',
    command: ['typescript-language-server', '--stdio'],
    folders: NODE,
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
    command: ['pyright-langserver', '--stdio'],
    folders: PYTHON,
    languages: { '.py': 'python', '.pyi': 'python' },
  },
  { name: 'gopls', command: ['gopls'], folders: [], languages: { '.go': 'go' } },
  { name: 'rust-analyzer', command: ['rust-analyzer'], folders: [], languages: { '.rs': 'rust' } },
  {
    name: 'clangd',
    command: ['clangd', '--background-index=false'],
    folders: [],
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

/** Exit code of a shell for a program that does not exist. */
export const MISSING = 127;

/** A line for a shell that starts the first program that exists. */
export function toCommandLine({ command, folders }: LanguageServer): string {
  const [program = '', ...rest] = command;
  const words = rest.join(' ');
  const own = folders.map((folder) => `if [ -x ${folder}/${program} ]; then exec ${folder}/${program} ${words}; fi`);
  return [...own, `command -v ${program} >/dev/null || exit ${MISSING}`, `exec ${program} ${words}`].join('\n');
}
