import { isPackageFile } from '../../names/package-file.ts';
import { describePlace, placeOf } from '../../places.ts';
import { isSecretFile } from '../../secrets/secret-files.ts';
import { SIGNS } from './code-signs.ts';
import { judgeSed } from './sed-code.ts';
import { unescape } from '../programs/encodings.ts';
import { ask, type ShellFinding } from './command-rule.ts';
import type { InlineCode, Redirect, SimpleCommand } from '../evaluation.ts';
import { reach, toInside, type ShellContext } from './target.ts';
import { isDynamic, isKnown, isOpaque, showWord } from '../expansion/word.ts';

/** The gate asks about code with more strings. */
const MOST_STRINGS = 3000;

const WRITES =
  /['"][wax]\+?b?\+?['"]|write_text|write_bytes|writeFile|appendFile|createWriteStream|outputFile|outputJson|File\s*\.\s*(?:write|open)|file_put_contents|fopen|symlink|copyfile|copyFile|\bcp(?:Sync)?\s*\(|shutil\s*\.\s*copy|print\w*[^;}]{0,999}>|>{1,2}\s*['"]|\bcopy\b|\bopen\b[^;]{0,999}['"]\+?[>+]|\brename|\bwrite\b|\bmakedirs|\bmkdir/;

/** Judges inline code by its words: asks if it starts programs, deletes, connects, hides, or names protected files. */
export function judgeCode(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  for (const code of command.code) {
    if (code.isFile) continue;
    const finding = judgeText(code, command, context);
    if (finding) return finding;
  }
  const { argv, name } = command;
  const module = name.startsWith('python') && argv[1] === '-m' && argv.length > 3 ? argv[2] : undefined;
  if (module !== undefined && /^(?:pty|code|runpy|timeit|webbrowser|smtpd)$/.test(module))
    return ask(`python -m ${module} runs code`);
  const isLoading = argv.some(
    (arg, at) =>
      /^--(?:import|loader|require)=(?:data:|https?:|\/tmp|\/dev)/.test(arg) ||
      (/^(?:-r|--require|--import|--loader|--experimental-loader)$/.test(argv[at - 1] ?? '') &&
        /^(?:data:|https?:|\/tmp|\/dev)/.test(arg)),
  );
  return isLoading ? ask(`${name} loads code from elsewhere`) : undefined;
}

function judgeText(
  { language, text }: InlineCode,
  command: SimpleCommand,
  context: ShellContext,
): ShellFinding | undefined {
  const found = (reason: string): ShellFinding => ask(`the ${language} code ${reason}`);
  const isScript = language === 'awk' || language === 'sed';
  // Where there is no sandbox, a file on standard input was read, or is too long for a script.
  const isInput = ({ operator, target }: Redirect): boolean => operator === '<' && isKnown(target);
  if (context.host && isDynamic(text) && command.stdin === text && command.redirects.some(isInput)) return undefined;
  if (isDynamic(text) && (text.length < 3 || (isOpaque(text) && !isScript))) return found('is only known at run time');
  if (language === 'sed') return judgeSed(text, command, context);
  const plain = join(unescape(text));
  const signs = SIGNS[language];
  if (!signs) return found('cannot be judged');
  if (signs.spawns?.test(plain)) return found('starts other programs');
  if (signs.removes?.test(plain)) return found('deletes or moves files');
  const sends = context.host?.readsRemote !== true || SENDS.test(plain);
  if (signs.connects?.test(plain) && sends && !context.isOffline)
    return { ...found('opens connections'), needs: 'network' };
  if (signs.obscures?.test(plain)) return found('runs or names something that it computes');
  return judgeLiterals(plain, { language, command, context });
}

/** Sends more than an address, or listens. */
const SENDS =
  /\b(?:post|put|patch|delete|send\w*|upload\w*|write|urlretrieve|Request|method|body|data|files|json|listen|bind|connect|create_connection|createConnection|createServer|Socket)\b\s*[(:=]|\bsocket\s*\(/i;

/** Joins adjacent strings: `'.e' + 'nv'`. */
function join(text: string): string {
  let out = '';
  let from = 0;
  let open = false;
  for (const match of text.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\[^])*)\1/g)) {
    const between = text.slice(from, match.index);
    if (open && /^\s*(?:\+|\.{1,2})?\s*$/.test(between)) out = out.slice(0, -1);
    else out += between + match[1];
    out += match[2] + (match[1] ?? '');
    from = match.index + match[0].length;
    open = true;
  }
  return out + text.slice(from);
}

interface Literals {
  language: string;
  command: SimpleCommand;
  context: ShellContext;
}

const OPEN_NAME = /(?:^|\/)\.env\.(?:example|sample|template|dist)$/;

const BARE: ReadonlySet<string> = new Set(['vim', 'sqlite', 'gdb']);

function judgeLiterals(text: string, { language, command, context }: Literals): ShellFinding | undefined {
  const found = (reason: string): ShellFinding => ask(`the ${language} code ${reason}`);
  if (/(?<![\w)\]])\.env(?:\.(?!example|sample|template|dist)\w+)?(?![\w.])/.test(text))
    return found('names a secret file');
  const strings = [
    ...text.matchAll(/'([^'\n]{0,300})'|"([^"\n]{0,300})"|`([^`\n]{0,300})`|[qQwx]?[{([<]([\w./~*-]{2,80})[})\]>]/g),
  ]
    .slice(0, MOST_STRINGS + 1)
    .map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
    .filter((string) => string !== '');
  // Editors and databases name files without quotes: `w! x`, `.output x`.
  if (BARE.has(language))
    strings.push(...text.split(/[\s;'"|]+/).filter((word) => /[\w*]/.test(word) && word.length < 512));
  if (strings.length > MOST_STRINGS) return found('is too long to be judged');
  const writes = BARE.has(language) || WRITES.test(text);
  for (const [at, string] of strings.entries()) {
    const pieces = [
      string,
      Array.from(string).toReversed().join(''),
      // A template's name is not the beginning of another name: `readFileSync('.env.example', 'utf8')`.
      ...(OPEN_NAME.test(string) ? [] : [2, 3, 4, 5, 6].map((count) => strings.slice(at, at + count).join(''))),
      string.replace(/%s|\{\w*\}/, strings[at + 1] ?? ''),
    ];
    const secret = [...new Set(pieces)].find(
      (piece) =>
        piece.length > 2 &&
        !/\s/.test(piece) &&
        (isSecretFile(piece, context.secretPatterns) || /^\/proc\/\w+\/environ|^\/etc\/shadow/.test(piece)),
    );
    if (
      secret !== undefined &&
      !/^(?:process|import\.meta|meta|os)\.env$/.test(secret) &&
      !/^[\w$]+\.(?:env|key)$/.test(secret)
    )
      return found(`names ${showWord(secret)}, a secret file`);
    if (
      /^(?:.*\/)?\.(?:\*|\?|\[|e[*?[])|^\.{0,2}\/?\*?\*?\/?\*?env\*?$/.test(string) &&
      /glob|listdir|readdir|scandir|Dir|walk/.test(text)
    )
      return found('looks for hidden files');
    if (!writes || /\s/.test(string)) continue;
    const place = pieces
      .map((piece) => placeOf(toInside(piece, command, context)))
      .find((found) => found !== undefined);
    if (place) return found(`writes, and names ${describePlace(place)}`);
    if (isPackageFile(string) && /\bscripts\b/.test(text))
      return found('changes the scripts of package.json, which others run');
    if (
      /^(?:\/(?!\/)[\w.-]+\/|~\/|\.\.\/)/.test(string) &&
      reach(string, command, context).some(({ kind }) => kind === 'outside')
    )
      return found(`writes, and names ${showWord(string)} outside the workspace`);
  }
  const lists = /\blistdir\b|\bscandir\b|\bos\.walk\b|\breaddir|\biterdir\b|\brglob\b|\bglob\b|\bDir\b/.test(text);
  if (lists && strings.some((string) => /^(?:\.e|en|nv|env|\.en|e?nv|\.env?|\.e\w?)$/.test(string)))
    return found('looks for hidden files');
  return undefined;
}
