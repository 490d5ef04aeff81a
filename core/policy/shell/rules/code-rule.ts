import { describePlace, isSecretPath, placeOf } from '../../places.ts';
import { unescape } from '../programs/encodings.ts';
import type { ShellFinding } from './command-rule.ts';
import type { InlineCode, SimpleCommand } from '../reading.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { reach, type ShellContext } from './target.ts';
import { isDynamic, showWord, UNKNOWN } from '../expansion/word.ts';

interface Signs {
  /** Starting other programs. */
  spawns?: RegExp;
  removes?: RegExp;
  connects?: RegExp;
  /** Running or naming what is only computed. */
  obscures?: RegExp;
}

const PYTHON: Signs = {
  spawns:
    /\bsubprocess\b|\bos\s*\.\s*(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*|fork\w*|kill\w*|startfile)\b|from\s+os\s+import|\bpty\b|\bpexpect\b|create_subprocess|\bcommands\.get|\bplatform\.popen|\bmultiprocessing\b|\bsh\.\w+\(/,
  removes:
    /\bos\s*\.\s*(?:remove|unlink|rmdir|removedirs|truncate|chmod|chown)\b|\brmtree\b|\.(?:unlink|rmdir)\s*\(|\bshutil\s*\.\s*move\b|\bsend2trash\b/,
  connects:
    /\bsocket\b|\burllib\b|\brequests\b|\bhttp\s*\.\s*client\b|\bhttpx\b|\baiohttp\b|\bftplib\b|\bsmtplib\b|\bparamiko\b|\btelnetlib\b|\bxmlrpc\b/,
  obscures:
    /(?<![.\w])(?:eval|exec|compile|__import__|execfile|input)\s*\(|\b__builtins__|\b__import__|\bimportlib\b|\bgetattr\s*\(\s*(?:os|sys|shutil|builtins|__)|\bb(?:64|32|16|85)decode|\bfromhex\b|\bunhexlify\b|\bcodecs\b|\bchr\b|\bbytes\s*\(\s*\[|\bbytearray\b|\bmarshal\b|\bpickle\b|\bctypes\b|\bcffi\b|\bglobals\s*\(|\bvars\s*\(\s*\)|\bzlib\b|\.translate\s*\(|\bsys\.stdin\b.{0,999}\bexec\b|\bimport\s+os\s+as\b|\bfrom\s+(?:shutil|builtins)\s+import|\brunpy\b|\bcode\.interact|__subclasses__|__globals__/,
};
const NODE: Signs = {
  spawns:
    /child_process|\bexecSync\b|\bspawnSync?\b|\bexecFile|\bBun\s*\.\s*(?:spawn|\$)|\bDeno\s*\.\s*(?:run|Command)|\bprocess\s*\.\s*(?:kill|binding|dlopen|mainModule)|\bexeca\b|\bshelljs\b|\bzx\b|\bcluster\b|\bWorker\s*\(/,
  removes:
    /\b(?:rm|rmdir|unlink|rimraf|truncate|chmod)(?:Sync)?\s*\(|\bemptyDir|\.remove(?:Sync)?\s*\(\s*['"`]|\[\s*['"`](?:rm|unlink|rmdir|rmSync|unlinkSync|rmdirSync)/,
  connects:
    /(?:require\s*\(|from\s+|import\s*\(?)\s*['"`](?:node:)?(?:net|tls|dgram|http2|dns|https?)['"`]|\bXMLHttpRequest\b|\bWebSocket\b|\bfetch\s*\((?!\s*['"`]https?:\/\/(?:localhost|127\.0\.0\.1))|\bhttps?\s*\.\s*(?:get|request)\s*\(|\baxios\b/,
  obscures:
    /(?<![.\w])eval\s*\(|\bnew\s+Function\b|(?<![.\w])Function\s*\(|\bvm\b\s*[.)]|['"`](?:node:)?vm['"`]|\batob\b|Buffer\.from\s*\([^)]{0,999},\s*['"`](?:base64|hex|base64url)|\bfromCharCode\b|\bfromCodePoint\b|\bunescape\s*\(|\brequire\s*\(\s*[^'"`)\s]|\bimport\s*\(\s*[^'"`)\s]|\bglobalThis\s*\[|\bglobal\s*\[|\bprocess\s*\[|\bconstructor\s*[.[(]\s*['"`]?constructor|\bdecodeURIComponent\s*\(\s*['"`]|\bfs\s*\[|\)\s*\[\s*['"`]?[a-z]+['"`]?\s*\+|\bcreateRequire\b|\bdotenv\b|\bmodule\._load|\bReflect\b/,
};
const PERL: Signs = {
  spawns:
    /\bsystem\b|(?<![$@%&\w])exec\b|`|\bqx\b|\bopen\s*\(?[^;]{0,999}\|\s*['"]|['"]\s*\|\s*-?|\bfork\b|\bkill\b|\bIPC::|\bsyscall\b|\bpipe\b/,
  removes: /\bunlink\b|\brmdir\b|\brmtree\b|\bremove_tree\b|\btruncate\b|\bchmod\b|\brename\b/,
  connects: /\bIO::Socket|\bLWP\b|\bsocket\b|\bHTTP::|\bNet::/,
  obscures:
    /\beval\b|\bpack\b|\bunpack\b|\bchr\b|\bdecode_base64|\bMIME::|\bsprintf\s*\(?\s*['"]%[cv]|\brequire\s+[$"']|\bdo\s*[$"'<]|&\s*\{|\breverse\b|\by\/|\btr\/|\$\^O|\bhex\b|\boct\b|\bdo\s+FILE/,
};
const RUBY: Signs = {
  spawns:
    /\bsystem\b|\bexec\b|`|%x|\bIO\s*\.\s*popen|\bOpen3\b|\bspawn\b|\bfork\b|\bProcess\b|\bPTY\b|\bKernel\b|\bopen\s*\(?\s*['"]\|/,
  removes:
    /\bFileUtils\s*\.\s*(?:rm|remove|mv|chmod)|\b(?:File|Dir|Pathname)\b[^;]{0,999}\.\s*(?:delete|unlink|rmdir|rmtree|truncate|chmod)|\brm_rf?\b/,
  connects: /\bNet::|\bTCPSocket|\bsocket\b|\bopen-uri\b|\bURI\s*\.\s*open|\bUDPSocket/,
  obscures:
    /\beval\b|\binstance_eval|\bpack\b|\bunpack1?\b|\bBase64\b|\bdecode64|\.send\b|\b__send__|\bpublic_send|\.chr\b|\.method\s*\(|\bconst_get\b|\.reverse\b|\.tr\s*\(|\bload\b|\bFiddle\b/,
};
const PHP: Signs = {
  spawns: /\b(?:exec|system|shell_exec|passthru|proc_open|popen|pcntl_\w+)\b|`/,
  removes: /\b(?:unlink|rmdir|rename|ftruncate|chmod)\b/,
  connects: /\b(?:fsockopen|curl_\w+|stream_socket_\w+|mail)\b|['"](?:https?|ftp):\/\/(?!localhost|127)/,
  obscures:
    /\beval\b|\bassert\b|\bbase64_decode|\bhex2bin|\bstr_rot13|\bchr\b|\bpack\b|\bcreate_function|\bcall_user_func|\bgzinflate|\bstrrev|\$\w+\s*\(|\bpreg_replace\b.{0,999}\/e|\bimplode\b|\bFFI\b|\binclude\b|\brequire\b|\bdl\s*\(/,
};
const LUA: Signs = {
  spawns: /\bos\s*\.\s*execute|\bio\s*\.\s*popen|\bvim\s*\.\s*fn\s*\.\s*system|\bos\s*\[|\bio\s*\[/,
  removes: /\bos\s*\.\s*(?:remove|rename)/,
  connects: /\bsocket\b/,
  obscures:
    /\bload(?:string|file)?\s*\(|\bdofile\b|\bstring\s*\.\s*char|\bpackage\s*\.|\bdebug\s*\.|\b_G\b|:reverse\b|:char\b|\brequire\b|\bstring\s*\.\s*reverse/,
};
const GDB_LOOKS = [
  '(?:r|run|start|starti|process launch)',
  '(?:thread apply all |t a a )?(?:bt|backtrace|where)(?: full| -?\\d+| all)*',
  '(?:c|continue|n|next|s|step|ni|si|nexti|stepi|fin|finish|u|until|q|quit|kill|detach|up|down|frame|f)(?: \\d+)?',
  '(?:i|info|p|print|p/\\w+|x/\\w+|x|ptype|whatis|list|l|b|br|break|tb|tbreak|watch|delete|display|echo|disas|disassemble)(?: [^\\n|!`>]*)?',
  '(?:set|settings set) (?:pagination|confirm|width|height|print [\\w-]+|breakpoint pending|disassembly-flavor)[ \\w]*',
].join('|');
const SIGNS: Record<string, Signs> = {
  python: PYTHON,
  node: NODE,
  perl: PERL,
  ruby: RUBY,
  php: PHP,
  lua: LUA,
  tcl: {
    spawns: /\bexec\b|\bopen\s+["{]?\||\bspawn\b/,
    removes: /\bfile\s+delete\b|\bfile\s+rename\b/,
    connects: /\bsocket\b|\bhttp::/,
    obscures: /\beval\b|\bsource\b|\bformat\s+%c|\bbinary\s+(?:format|decode)|\bsubst\b|\bstring\s+reverse|\binterp\b/,
  },
  awk: {
    spawns: /\bsystem\s*\(|\|\s*&?\s*getline|\|\s*&?\s*"|"\s*\|\s*&?\s*getline|print[^;}]{0,999}\|\s*\S|\|\s*\w/,
    connects: /\/inet/,
    obscures: /@load|@include|sprintf\s*\(\s*"%c|ARGV\s*\[\s*\w+\s*\]\s*=/,
  },
  vim: {
    spawns:
      /^\s*[:|]?\s*(?:%|\d+|\.|\$|,|'<,'>)*!|\|\s*!|(?:^|[|\n])\s*:?\s*(?:\d+|%|[,.$])*(?:r|w|e|re|read|write)\s+!|\bsystem(?:list)?\s*\(|\bterm(?:inal)?\b|\bmake\b|\bpy(?:thon)?3?x?\b|\blua\b|\bperl\b|\bruby\b|\bjob_start|\bluaeval|\bpy3?eval/m,
    removes: /\bdelete\s*\(|\brename\s*\(/,
    obscures: /\bexe(?:cute)?\b|\bnr2char\b|\bsource\b|\bso\b/,
  },
  gdb: {
    // Commands can be cut short, so those are named that only look: `run` without arguments, and what shows something.
    spawns: new RegExp(`^(?!(?:\\s*(?:${GDB_LOOKS})\\s*(?:\\n|$))*$)`),
    obscures: /\b(?!sizeof\b)[a-z_]\w*\s*\(/i,
  },
  sqlite: {
    spawns:
      /(?:^|\n)\s*\.(?:she?l?l?|sys?t?e?m?|loa?d?|rea?d?|(?:ou?t?p?u?t?|onc?e?|imp?o?r?t?)\b[^\n]{0,200}\||ex?c?e?l?|edi?t?|www?|arc?h?i?v?e?)\b|\bload_extension\b|\\!|\\copy\b[^\n]{0,999}\bprogram\b|\bto\s+program\b|\bsystem\b|\bedit\s*\(/i,
    removes: /\bwritefile\s*\(/i,
    obscures: /\breadfile\s*\(\s*[^'")]|\bchar\s*\(\s*\d+\s*,/i,
  },
  m4: { spawns: /\besyscmd\b|\bsyscmd\b/ },
  gnuplot: { spawns: /\bsystem\b|`|(?:^|;)\s*!|["']\s*[<|]/ },
  dc: { spawns: /!\s*\S/ },
  emacs: {
    spawns:
      /shell-command|call-process|start-process|make-process|process-file|process-lines|\bcompile\b|eshell|async-shell/,
    removes: /delete-(?:file|directory)|rename-file/,
    obscures: /\beval\b|\bread\b|\bbase64-decode|\bload\b|\bfuncall\b|\bconcat\b|\bstring\b/,
  },
};
/** For languages of which little is known here: anything that starts, deletes or connects in the words of most of them. */
const OTHER: Signs = {
  spawns:
    /\b(?:system|exec\w*|popen|spawn\w*|shell|run|ProcessBuilder|Process|Runtime|do shell script|cmd|Start-Process|Invoke-Expression|iex|callCommand|readProcess)\b|`/,
  removes: /\b(?:unlink|remove\w*|delete\w*|rm|rmtree|file\.remove|Remove-Item|del)\b/i,
  connects: /\b(?:socket|url|http|download|connect|Invoke-WebRequest|Net\.WebClient)\b/i,
  obscures: /\b(?:eval\w*|parse|base64\w*|chr|rawToChar|fromCharCode|Code\.)\b/i,
};

/** More strings than this are asked about. */
const MOST_STRINGS = 3000;

const WRITES =
  /['"][wax]\+?b?\+?['"]|write_text|write_bytes|writeFile|appendFile|createWriteStream|outputFile|outputJson|File\s*\.\s*(?:write|open)|file_put_contents|fopen|symlink|copyfile|copyFile|\bcp(?:Sync)?\s*\(|shutil\s*\.\s*copy|print\w*[^;}]{0,999}>|>{1,2}\s*['"]|\bcopy\b|\bopen\b[^;]{0,999}['"]\+?[>+]|\brename|\bwrite\b|\bmakedirs|\bmkdir/;

/** Inline code: judged by its words. Starting programs, deleting, connecting, hiding and touching protected files ask. */
export function judgeCode(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  for (const code of command.code) {
    const finding = judgeText(code, command, context);
    if (finding) return finding;
  }
  if (
    command.name.startsWith('python') &&
    command.argv[1] === '-m' &&
    /^(?:pty|code|pdb|runpy|timeit|trace|cProfile|profile|webbrowser|smtpd)$/.test(command.argv[2] ?? '') &&
    command.argv.length > 3
  ) {
    return /^(?:cProfile|profile|trace|pdb)$/.test(command.argv[2] ?? '')
      ? undefined
      : { verdict: 'ask', reason: `python -m ${command.argv[2]} runs code` };
  }
  const loaded = command.argv.find(
    (arg, at) =>
      at > 0 &&
      /^(?:-r|--require|--import|--loader|--experimental-loader)$/.test(command.argv[at - 1] ?? '') &&
      /^(?:data:|https?:|\/tmp|\/dev)/.test(arg),
  );
  if (
    loaded !== undefined ||
    command.argv.some((arg) => /^--(?:import|loader|require)=(?:data:|https?:|\/tmp|\/dev)/.test(arg))
  )
    return { verdict: 'ask', reason: `${command.name} loads foreign code` };
  return undefined;
}

function judgeText(
  { language, text }: InlineCode,
  command: SimpleCommand,
  context: ShellContext,
): ShellFinding | undefined {
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason: `the ${language} code ${reason}` });
  if (isDynamic(text) && (text === UNKNOWN || text.length < 3 || (language !== 'awk' && language !== 'sed'))) {
    if (text.length < 3 || text.includes('\uE004')) return ask('is only known when it runs');
  }
  if (language === 'sed') return judgeSed(text, command, context);
  const plain = join(unescape(text));
  const signs = SIGNS[language] ?? OTHER;
  if (signs.spawns?.test(plain)) return ask('starts other programs');
  if (signs.removes?.test(plain)) return ask('deletes or moves files');
  if (signs.connects?.test(plain) && !context.isOffline) return { ...ask('opens connections'), needs: 'network' };
  if (signs.obscures?.test(plain)) return ask('runs or names something that is only computed');
  return judgeLiterals(plain, { language, command, context });
}

/** Puts strings together that stand side by side: `'.e' + 'nv'`. */
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

const BARE: ReadonlySet<string> = new Set(['vim', 'sqlite', 'gdb', 'gnuplot', 'm4', 'emacs']);

function judgeLiterals(text: string, { language, command, context }: Literals): ShellFinding | undefined {
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason: `the ${language} code ${reason}` });
  if (/(?<![\w)\]])\.env(?:\.(?!example|sample|template|dist)\w+)?(?![\w.])/.test(text))
    return ask('names a secret file');
  const strings = [
    ...text.matchAll(/'([^'\n]{0,300})'|"([^"\n]{0,300})"|`([^`\n]{0,300})`|[qQwx]?[{([<]([\w./~*-]{2,80})[})\]>]/g),
  ]
    .slice(0, MOST_STRINGS + 1)
    .map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
    .filter((string) => string !== '');
  // Editors and databases name files without quotes: `w! x`, `.output x`.
  if (BARE.has(language))
    strings.push(...text.split(/[\s;'"|]+/).filter((word) => /[\w*]/.test(word) && word.length < 512));
  if (strings.length > MOST_STRINGS) return ask('is too long to be followed');
  const writes = BARE.has(language) || WRITES.test(text);
  for (const [at, string] of strings.entries()) {
    const pieces = [
      string,
      Array.from(string).toReversed().join(''),
      // What is a whole, open name already is not the beginning of another: `readFileSync('.env.example', 'utf8')`.
      ...(OPEN_NAME.test(string) ? [] : [2, 3, 4, 5, 6].map((count) => strings.slice(at, at + count).join(''))),
      string.replace(/%s|\{\w*\}/, strings[at + 1] ?? ''),
    ];
    const secret = [...new Set(pieces)].find(
      (piece) =>
        piece.length > 2 &&
        !/\s/.test(piece) &&
        (isSecretPath(piece, context.secretPatterns) || /^\/proc\/\w+\/environ|^\/etc\/shadow/.test(piece)),
    );
    if (
      secret !== undefined &&
      !/^(?:process|import\.meta|meta|os)\.env$/.test(secret) &&
      !/^[\w$]+\.(?:env|key)$/.test(secret)
    )
      return ask(`names ${showWord(secret)}, a secret file`);
    if (
      /^(?:.*\/)?\.(?:\*|\?|\[|e[*?[])|^\.{0,2}\/?\*?\*?\/?\*?env\*?$/.test(string) &&
      /glob|listdir|readdir|scandir|Dir|walk/.test(text)
    )
      return ask('looks for hidden files');
    if (!writes || /\s/.test(string)) continue;
    const place = pieces
      .map((piece) => placeOf(toInside(piece, command, context)))
      .find((found) => found !== undefined);
    if (place) return ask(`writes, and names ${describePlace(place)}`);
    if (/(?:^|\/)package\.json$/.test(string) && /\bscripts\b/.test(text))
      return ask('changes the scripts of package.json, which others run');
    if (
      /^(?:\/(?!\/)[\w.-]+\/|~\/|\.\.\/)/.test(string) &&
      reach(string, command, context).some(({ kind }) => kind === 'outside')
    )
      return ask(`writes, and names ${showWord(string)} outside the workspace`);
  }
  const lists = /\blistdir\b|\bscandir\b|\bos\.walk\b|\breaddir|\biterdir\b|\brglob\b|\bglob\b|\bDir\b/.test(text);
  if (lists && strings.some((string) => /^(?:\.e|en|nv|env|\.en|e?nv|\.env?|\.e\w?)$/.test(string)))
    return ask('looks for hidden files');
  return undefined;
}

function toInside(path: string, command: SimpleCommand, context: ShellContext): string {
  const full = resolvePath(path, command.cwds[0] ?? context.workspace);
  return full.startsWith(`${context.workspace}/`) ? full.slice(context.workspace.length + 1) : full;
}

/** `sed`: the commands that start programs (`e`) or write files (`w`). */
function judgeSed(text: string, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  let rest = text;
  for (let round = 0; round < 200 && rest !== ''; round++) {
    rest = rest.replace(/^[\s;{}]+/, '');
    // The address: numbers, `$`, expressions in slashes.
    rest = rest.replace(
      /^(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)(?:\s*[,~]\s*(?:[+~]?\d+|\$|\/(?:[^/\\]|\\.)*\/I?))?\s*!?\s*/,
      '',
    );
    const name = rest[0];
    if (name === undefined) return undefined;
    if (name === 's' || name === 'y') {
      const end = endOfParts(rest);
      if (end < 0) return undefined;
      const flags = /^[a-zA-Z0-9]*/.exec(rest.slice(end))?.[0] ?? '';
      if (name === 's' && /e/.test(flags.replace(/w.*$/, '')))
        return { verdict: 'ask', reason: 'sed starts a program' };
      const target = name === 's' ? /w\s*(\S+)/.exec(rest.slice(end).split(/[\n;]/)[0] ?? '')?.[1] : undefined;
      if (target !== undefined) return judgeSedFile(target, command, context);
      rest = rest.slice(end + flags.length);
    } else if (name === 'e') return { verdict: 'ask', reason: 'sed starts a program' };
    else if (name === 'w' || name === 'W' || name === 'r' || name === 'R') {
      return judgeSedFile(rest.slice(1).trim().split(/\s/)[0] ?? '', command, context);
    } else if (/[aic]/.test(name)) {
      const line = rest.indexOf('\n');
      rest = line < 0 ? '' : rest.slice(line + 1);
    } else rest = rest.slice(1);
  }
  return undefined;
}

function judgeSedFile(path: string, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const inside = toInside(path, command, context);
  const place = placeOf(inside);
  if (isSecretPath(inside, context.secretPatterns))
    return { verdict: 'ask', reason: `sed reads or writes ${showWord(path)}, a secret file` };
  if (place) return { verdict: 'ask', reason: `sed writes ${showWord(path)}, which is ${describePlace(place)}` };
  const outside = reach(path, command, context).some(({ kind }) => kind === 'outside');
  return outside ? { verdict: 'ask', reason: `sed writes ${showWord(path)} outside the workspace` } : undefined;
}

function endOfParts(text: string): number {
  const delimiter = text[1];
  if (delimiter === undefined) return -1;
  let parts = 0;
  for (let at = 2; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === delimiter && ++parts === 2) return at + 1;
  }
  return -1;
}
