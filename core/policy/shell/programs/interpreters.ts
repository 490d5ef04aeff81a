import type { Stdin } from '../interpreter/interpreter.ts';
import type { InlineCode } from '../evaluation.ts';
import type { Word } from '../expansion/word.ts';
import { forNames } from '../../word-list.ts';

interface CodeProgram {
  language: string;
  /** Flags followed by code. Short ones may be joined with others before them: `-ne`. */
  code: RegExp;
  /** Flags that take a value which is not code. */
  valued?: RegExp;
  /** Flags that name a file of code. */
  files?: RegExp;
  /** The first plain argument is the program itself, as for awk. */
  first?: boolean;
  /** Standard input is code if there is no file. */
  readsStdin?: boolean;
}

const PYTHON: CodeProgram = {
  language: 'python',
  code: /^-[bBdEhiIOqsSuvVx]*c$/,
  valued: /^-[WXm]$/,
  readsStdin: true,
};
const NODE: CodeProgram = {
  language: 'node',
  code: /^(?:-p?e|-pe|-p|--eval|--print)$/,
  valued: /^(?:-r|--require|--import|--loader|-C|--input-type|--env-file)$/,
  readsStdin: true,
};
const PERL: CodeProgram = { language: 'perl', code: /^-[0-9a-zA-DF-Z]*[eE]$/, valued: /^-[IM]$/, readsStdin: true };
const AWK: CodeProgram = { language: 'awk', code: /^(?:-e|--source)$/, valued: /^-[vFfi]$/, first: true };
const EDITOR: CodeProgram = {
  language: 'vim',
  code: /^(?:-[a-zA-Z]*c|--cmd|-S)$|^\+/,
  valued: /^-[uTw]$/,
  readsStdin: true,
};

const INTERPRETERS: Record<string, CodeProgram> = {
  ...forNames('python pypy ipython', PYTHON),
  ...forNames('node nodejs', NODE),
  ...forNames('bun tsx ts-node', { language: 'node', code: /^(?:-e|--eval|-p|--print)$/ }),
  deno: { language: 'node', code: /^eval$/ },
  perl: PERL,
  ruby: { language: 'ruby', code: /^-[a-zA-Z]*e$/, valued: /^-[rI]$/, readsStdin: true },
  irb: { language: 'ruby', code: /^-e$/, readsStdin: true },
  php: { language: 'php', code: /^(?:-r|-R|-B|-E|--run)$/, valued: /^-[dcz]$/, readsStdin: true },
  lua: { language: 'lua', code: /^-e$/, valued: /^-l$/, readsStdin: true },
  luajit: { language: 'lua', code: /^-e$/, readsStdin: true },
  ...forNames('tclsh wish', { language: 'tcl', code: /^$/, readsStdin: true }),
  expect: { language: 'tcl', code: /^-c$/, readsStdin: true },
  ...forNames('awk gawk mawk nawk', AWK),
  sed: { language: 'sed', code: /^(?:-[a-zA-DF-Z]*e|--expression)$/, valued: /^-[fl]$/, first: true },
  gsed: { language: 'sed', code: /^(?:-[a-zA-DF-Z]*e|--expression)$/, first: true },
  ...forNames('vim vi nvim view ex', EDITOR),
  ...forNames('less more', { language: 'vim', code: /^\+/ }),
  ...forNames('ed red', { language: 'vim', code: /^$/, readsStdin: true }),
  emacs: { language: 'emacs', code: /^--?(?:eval|execute)$/ },
  gdb: { language: 'gdb', code: /^-(?:ex|iex|eval-command)$/, readsStdin: true },
  lldb: { language: 'gdb', code: /^-[oO]$/, readsStdin: true },
  Rscript: { language: 'r', code: /^-e$/ },
  R: { language: 'r', code: /^-e$/, readsStdin: true },
  julia: { language: 'julia', code: /^-[eE]$/, readsStdin: true },
  elixir: { language: 'elixir', code: /^-e$|^--eval$/ },
  erl: { language: 'elixir', code: /^-eval$/ },
  ...forNames('groovy scala', { language: 'groovy', code: /^-e$/ }),
  jshell: { language: 'groovy', code: /^$/, readsStdin: true },
  ghc: { language: 'haskell', code: /^-e$/ },
  ghci: { language: 'haskell', code: /^-e$/, readsStdin: true },
  osascript: { language: 'applescript', code: /^-e$/, readsStdin: true },
  sqlite: {
    language: 'sqlite',
    code: /^-cmd$/,
    files: /^-init$/,
    readsStdin: true,
  },
  psql: {
    language: 'sqlite',
    code: /^(?:-c|--command)$/,
    files: /^(?:-f|--file)$/,
    readsStdin: true,
  },
  ...forNames('mysql mariadb', {
    language: 'sqlite',
    code: /^(?:-e|--execute)$/,
    readsStdin: true,
  }),
  m4: { language: 'm4', code: /^$/, readsStdin: true },
  gnuplot: { language: 'gnuplot', code: /^-e$/, readsStdin: true },
  dc: { language: 'dc', code: /^-e$/, readsStdin: true },
  pwsh: { language: 'powershell', code: /^-(?:c|Command|command|EncodedCommand|e)$/, readsStdin: true },
};

/** The language of an interpreter by its name: `python3.11` → `python`. Undefined for other programs. */
export function toLanguage(name: string): string | undefined {
  return find(name)?.language;
}

function find(name: string): CodeProgram | undefined {
  if (Object.hasOwn(INTERPRETERS, name)) return INTERPRETERS[name];
  const plain = name.replace(/[-.\d]+$/, '');
  return plain !== name && Object.hasOwn(INTERPRETERS, plain) ? INTERPRETERS[plain] : undefined;
}

interface CodeSources {
  stdin: Stdin | undefined;
  readFile: (path: Word) => Word | undefined;
  /** True for a file that existed before the line. */
  isGiven: (path: Word) => boolean;
}

/** The code of an interpreter: from its command line, standard input or a file that this line wrote. */
export function readCode(name: string, args: readonly Word[], { stdin, readFile, isGiven }: CodeSources): InlineCode[] {
  const interpreter = find(name);
  if (!interpreter) return [];
  const { language } = interpreter;
  const code: InlineCode[] = [];
  let file: Word | undefined;
  let module = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const long = /^(--?[\w-]+)=([^]*)$/.exec(arg);
    const named = interpreter.files?.test(arg)
      ? args[++at]
      : interpreter.files?.test(long?.[1] ?? '')
        ? long?.[2]
        : undefined;
    if (named !== undefined) {
      const text = readFile(named);
      if (text !== undefined)
        code.push({
          language,
          text,
          ...(isGiven(named) ? { isFile: true } : {}),
        });
      continue;
    }
    if (long && interpreter.code.test(long[1] ?? '')) code.push({ language, text: long[2] ?? '' });
    else if (interpreter.code.test(arg)) {
      code.push({ language, text: arg.startsWith('+') ? arg.slice(1) : (args[at + 1] ?? '') });
      if (!arg.startsWith('+')) at++;
    } else if (isJoined(interpreter, arg)) code.push({ language, text: arg.slice(2) });
    else if (interpreter.valued?.test(arg)) {
      if (arg.startsWith('-m')) module = true;
      if (interpreter.first && arg === '-f') file = args[at + 1];
      at++;
    } else if (!arg.startsWith('-') || arg === '-') {
      file ??= arg;
      if (!interpreter.first || code.length > 0 || file !== arg) {
        if (language !== 'vim' && language !== 'sqlite') break;
        continue;
      }
      code.push({ language, text: arg });
    }
  }
  if (language === 'sqlite')
    for (const arg of args.slice(1)) if (!arg.startsWith('-')) code.push({ language, text: arg });
  const written = file === undefined || (file === '-' && !interpreter.first) ? undefined : readFile(file);
  if (file !== undefined && written !== undefined)
    code.push({
      language,
      text: written,
      ...(isGiven(file) ? { isFile: true } : {}),
    });
  const reads =
    (file === undefined || file === '-' || language === 'vim' || language === 'sqlite') &&
    interpreter.readsStdin === true;
  if (reads && code.length === 0 && !module && stdin)
    code.push({
      language,
      text: stdin.text,
      ...(stdin.isFile ? { isFile: true } : {}),
    });
  return code;
}

/** True for code joined to its flag: `-c'…'`, `-e…`. */
function isJoined({ language, code }: CodeProgram, arg: Word): boolean {
  if (language === 'node' || arg.length <= 2 || !/^-[ceEr]/.test(arg)) return false;
  return code.test(arg.slice(0, 2)) && !/^-\w+$/.test(arg);
}
