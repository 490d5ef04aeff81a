import { cutText } from '../../../protocol/text/cut-text.ts';
import { quoteShellWord } from '../../../protocol/quote-shell-word.ts';
import { isSecretPlace } from '../../secrets/secret-places.ts';
import { isSecretFile } from '../../secrets/secret-files.ts';
import { placeOf } from '../../places.ts';
import { AGENT_PROGRAMS } from './agent-rule.ts';
import type { HostFacts } from './host-facts.ts';

/** What the judgement of a line says about a command in a text of code. */
export type JudgeLine = (line: string) => string | undefined;

/** Starts another program, in any language. */
const SPAWNS =
  /child_process|\bexec(?:Sync|File|FileSync|a)?\s*\(|\bspawn(?:Sync)?\s*\(|\bsubprocess\b|\bos\s*\.\s*(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*)|\bsystem\s*\(?|\bpopen\d?\b|\bProcess(?:Builder)?\b|\bRuntime\s*\.|\bexec\.Command\b|\bCommand::new\b|\bstd::process\b|\bBun\s*\.\s*(?:spawn|\$)|\bDeno\s*\.\s*(?:run|Command)|\bshell_exec\b|\bpassthru\b|\bproc_open\b|`|%x|\bqx\b|\bIO\.popen|\bOpen3\b|\bos\.execute\b|\bio\.popen\b|\bpexpect\b|\bpty\b|\bexeca\b|\bshelljs\b|\bzx\b|\$`/;
/** Deletes, moves or overwrites files, in any language. */
const CHANGES =
  /\b(?:rm|rmdir|unlink|remove|rmtree|rimraf|removedirs|truncate|rename|move|copyfile|copy|cp|mkdir|makedirs|symlink|link|chmod|chown|utime)(?:Sync|All|file|2|tree|_all|_dir_all|_file|_dir)?\s*\(|\bshutil\b|\bFileUtils\b|\bremove_dir_all\b|\bfs::(?:remove|write|rename|copy)\w*|\bos\.(?:Remove|RemoveAll|Rename|WriteFile|Create|OpenFile)\b|\bFile(?:s)?\.(?:delete|write|move|create|open)\w*|\bunlink\b|\bwriteFile|\bappendFile|\bcreateWriteStream|\bwrite_text|\bwrite_bytes|\bfopen\b|\bfile_put_contents|\bopen\s*\([^)\n]{0,300}['"][wax]|['"][wax]\+?b?['"]|>\s*['"]|\.(?:unlink|rmdir|touch|rename|replace|mkdir|write_text|chmod)\s*\(/;
/** Connects to another machine, in any language. */
const CONNECTS =
  /\bfetch\s*\(|\bhttps?\s*\.\s*(?:get|request)\b|\brequests\s*\.|\burllib\b|\burlopen\b|\bhttp\s*\.\s*client\b|\bhttpx\b|\baiohttp\b|\bsocket\b|\bcreate_connection\b|\bnet\s*\.\s*(?:connect|createConnection|Dial\w*|Socket)|\bcreateConnection\b|\btls\s*\.\s*connect|\bdgram\b|\bWebSocket\b|\bXMLHttpRequest\b|\baxios\b|\bgot\s*\(|\bsmtplib\b|\bftplib\b|\bparamiko\b|\bNet::|\bTCPSocket\b|\bLWP\b|\bIO::Socket|\bhttp\.(?:Get|Post|NewRequest)\b|\bTcpStream::connect|\breqwest\b|\bfsockopen\b|\bcurl_\w+|\bfile_get_contents\s*\(\s*['"]https?:|\bURLConnection\b|\bHttpClient\b|\bopen-uri\b|\bdns\s*\.\s*(?:resolve|lookup)|\bresolve\d?\s*\(|\bgethostbyname\b|\bgetaddrinfo\b|\bsendBeacon\b/;
/** Turns data into text that can hide a name. */
const DECODES =
  /\batob\b|['"`](?:base64|hex|base64url)['"`]|\bb(?:64|32|16|85)decode|\bfromhex\b|\bunhexlify\b|\bfromCharCode\b|\bfromCodePoint\b|\bdecode64\b|\bdecode_base64\b|\bbase64_decode\b|\bhex2bin\b|\bstr_rot13\b|\brot_?13\b|\bcodecs\s*\.\s*decode|\bchr\s*\(|\bmarshal\b|\bpack\s*\(|\bstrrev\b|\.reverse\s*\(\s*\)\s*\.\s*join|\[\s*::\s*-1\s*\]|\bdecodeURIComponent\b|\bunescape\s*\(/;
/** Runs text as code. */
const RUNS_TEXT =
  /(?<![.\w])(?:eval|exec|execfile|compile)\s*\(|\bnew\s+Function\b|(?<![.\w])Function\s*\(|\bvm\s*\.\s*run|\brunInThisContext\b|\b__import__\s*\(|\bimportlib\b|\binstance_eval\b|\bclass_eval\b|\bloadstring\b|\bcreate_function\b|\bgetattr\s*\(\s*(?:os|sys|shutil|subprocess|builtins|__)|\b__builtins__\b|\bglobalThis\s*\[|\bprocess\s*\.\s*binding|\bctypes\b|\bffi\b|\bdlopen\b/i;
/** The home folder, or a folder above the workspace, by a name of the language. */
const HOME_NAMES =
  /\bhomedir\s*\(|\bexpanduser\b|\bPath\s*\.\s*home\b|\bDir\s*\.\s*home\b|\bUserHomeDir\b|\bhome_dir\s*\(|\buser\.home\b|(?:environ|env|getenv|ENV|Getenv)\W{1,4}HOME\b|\bENV\[['"]HOME|['"`]\$?HOME['"`]|\$\{?HOME\b|\bgetpwuid\b|\bgetpwnam\b|\bexpand_path\s*\(\s*['"]~/;

/** Names of hosts on this machine. */
const LOCAL_HOST =
  /^(?:localhost|.*\.localhost|.*\.local|.*\.test|.*\.example|.*\.invalid|example\.(?:com|org|net)|127(?:\.\d+){3}|0\.0\.0\.0|::1|\[::1?\]|host\.docker\.internal)$/i;
const URL_TEXT =
  /\b(?:https?|wss?|ftp|tcp|udp|ssh|git|smtp|redis|postgres(?:ql)?|mysql|mongodb(?:\+srv)?):\/\/(?:[^\s/'"`@<>]*@)?(\[[^\]]*\]|[^\s/'"`:?#<>)\\]+)/gi;
const HOST_TEXT = /^(?:(?=[a-z\d-]{1,63}\.)[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+(?:[a-z]{2,24})$|^\d{1,3}(?:\.\d{1,3}){3}$/i;
/** Endings of file names that look like hosts. */
const FILE_TEXT =
  /\.(?:js|ts|tsx|jsx|mjs|cjs|py|rb|go|rs|java|kt|php|json|ya?ml|toml|md|txt|html?|css|sh|sql|log|csv|xml|lock|env|cfg|ini|conf|png|jpg|svg|db|exe|dll|so|test|spec|local|h|c|cc|cpp|map|gz|zip|tar|pem|key|crt)$/i;

const MOST_STRINGS = 4_000;

/**
 * Why a file of code that the session wrote can act outside of the workspace: deletes or writes there, reads secrets,
 * connects to another machine, starts another agent. Undefined if it shows nothing of this. It looks at words, not at
 * what the code does: code that hides its words well enough passes.
 */
export function scanCode(text: string, host: HostFacts, judgeLine: JudgeLine): string | undefined {
  const strings = toStrings(text);
  if (strings.length > MOST_STRINGS) return 'it is too long to be judged';
  if (
    /claude[-_]agent[-_]sdk|@anthropic-ai\/claude-code|@openai\/codex|bypassPermissions|dangerously[-_A-Z]/.test(text)
  )
    return 'it starts another agent';
  if (/\bTIOCSTI\b/.test(text)) return 'it types into a terminal';
  const plain = strings.join('\n');
  const spawns = SPAWNS.test(text);
  const changes = CHANGES.test(text);
  const connects = CONNECTS.test(text);
  if (DECODES.test(text) && (RUNS_TEXT.test(text) || spawns)) return 'it decodes text, and runs code or programs';
  if (RUNS_TEXT.test(text) && /\[\s*['"`]\w+['"`]\s*\+|['"`]\s*\+\s*['"`]\w{1,12}['"`]/.test(text))
    return 'it computes names of code that it runs';
  if (connects && (RUNS_TEXT.test(text) || /\.then\s*\(\s*(?:eval|Function)\b/.test(text)))
    return 'it runs text, and connects to other machines';
  if (
    spawns &&
    /\[\s*(?:['"`][^'"`\n]{0,20}['"`]\s*,\s*)+['"`][^'"`\n]*['"`]\s*\]\s*\.\s*join\s*\(\s*['"`]{2}\s*\)|['"`]{2}\s*\.\s*join\s*\(/.test(
      text,
    )
  )
    return 'it computes names of programs that it starts';
  const reads =
    /\bglob\b|\breaddir|\blistdir\b|\bscandir\b|\bos\.walk\b|\brglob\b|\biterdir\b|\bDir\s*[.[]|dict\s*\(\s*os\.environ|stringify\s*\(\s*process\.env|Object\.entries\s*\(\s*process\.env/;
  if (connects && reads.test(text))
    return 'it reads all files of a folder or the environment, and connects to other machines';
  if (HOME_NAMES.test(text) && /\b(?:open|readFile\w*|read_text|walk|glob|readdir\w*|listdir)\b/.test(text))
    return 'it reads files of the home folder';
  for (const string of strings) {
    const path = toPath(string, host);
    if (path !== undefined && !isInside(path, host)) {
      if (isSecretPlace(path, host)) return `it names ${shorten(string)}, a place with secrets`;
      if ((changes || spawns) && !isHarmless(path, host))
        return `it names ${shorten(string)} outside the workspace, and changes files or starts programs`;
    }
    if (/^\/proc\/[^/]+\/(?:environ|mem)/.test(string)) return `it names ${shorten(string)}, a place with secrets`;
    if (isSecretFile(string) && !/\s/.test(string) && string.length > 3 && !/^\.env(?:\.\w+)?$/.test(string))
      return `it names ${shorten(string)}, a secret file`;
    if (changes && !/\s/.test(string) && /[./]/.test(string) && placeOf(string.replace(/^\.\//, '')) === 'git')
      return `it names ${shorten(string)}, a folder of Git`;
  }
  if (
    /(?:^|['"`/])\.env['"`]/.test(text) &&
    /\b(?:open|readFile\w*|read_text|File\.read|file_get_contents|ReadFile|slurp|cat)\b/.test(text)
  )
    return 'it reads .env, a secret file';
  if (HOME_NAMES.test(text) && (changes || spawns))
    return 'it names the home folder, and changes files or starts programs';
  if (connects || spawns) {
    const remote = findRemote(plain);
    if (connects && remote !== undefined) return `it connects to ${shorten(remote)}`;
  }
  if (spawns) {
    const agent = strings.find((string) => string.split(/[\s;&|()'"`$]+/).some((word) => isAgentName(word)));
    if (agent !== undefined) return `it starts another agent: ${shorten(agent)}`;
    for (const line of toCommandLines(text, strings)) {
      const reason = judgeLine(line);
      if (reason !== undefined) return `it starts a program: ${shorten(line)}: ${reason}`;
    }
  }
  return undefined;
}

/** Files whose lines are commands, or settings with commands in them. */
const COMMAND_FILE =
  /(?:^|\/)(?:\.?justfile|Taskfile\.\w+|Procfile\w*|\.?lefthook\.\w+|\.lintstagedrc\S*|lint-staged\.config\.\w+|\.pre-commit-config\.yaml|tox\.ini|noxfile\.py|pyproject\.toml|setup\.cfg|mise\.toml|\.mise\.toml|deno\.jsonc?|composer\.json|package\.json|turbo\.json|nx\.json|project\.json|wireit\.json|nodemon\.json|build\.xml|pom\.xml|build\.ninja|CMakeLists\.txt|[^/]+\.(?:mk|just|cmake|gradle|ninja))$/i;
const MOST_LINES = 400;

/** Why a file of settings, which the session wrote, runs a command that acts outside of the workspace. */
export function scanCommandFile(path: string, text: string, judgeLine: JudgeLine): string | undefined {
  if (!COMMAND_FILE.test(path)) return undefined;
  const lines = text.split('\n').slice(0, MOST_LINES);
  for (const line of [...lines, ...lines.flatMap((each) => toStrings(each))]) {
    const plain = line
      .replace(/^[\s@+-]*(?:["']?[\w.:*/@{},! -]{1,60}["']?\s*[:=]\s+|command\s*=\s*)?["'[]*/, '')
      .replace(/["'\],]*\s*$/, '');
    for (const each of new Set([line.trim().replace(/^[@+-]+\s*/, ''), plain])) {
      const reason = /^[\w./~$-]+(?:\s|$)/.test(each) ? judgeLine(each) : undefined;
      if (reason !== undefined) return `it runs a program: ${shorten(each)}: ${reason}`;
    }
  }
  return undefined;
}

/** String literals of most languages, adjacent ones joined: `'.e' + 'nv'`. */
function toStrings(text: string): string[] {
  const out: string[] = [];
  let end = -1;
  for (const match of text.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\[^])*)\1/g)) {
    const value = unescape(match[2] ?? '');
    const between = end < 0 ? undefined : text.slice(end, match.index);
    if (between !== undefined && /^\s*(?:\+|\.{1,2})?\s*$/.test(between) && out.length > 0)
      out[out.length - 1] += value;
    else out.push(value);
    end = match.index + match[0].length;
  }
  return out;
}

/** Escapes that most languages know. */
function unescape(text: string): string {
  return text.replaceAll(/\\(?:x[\da-f]{2}|u\{?[\da-f]{4,6}\}?|['"`\\/ ])/gi, (escape) => {
    const digits = /^\\[xu]\{?([\da-f]+)/i.exec(escape)?.[1];
    return digits === undefined
      ? escape.slice(1)
      : String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10_ff_ff));
  });
}

/** Texts that can be command lines: one literal, or a list of words as in `['rm', '-rf', path]`. */
function toCommandLines(text: string, strings: readonly string[]): string[] {
  const lines = strings.filter(
    (string) => /^[\w./~-]+(?:\s|$)/.test(string) && string.length < 2_000 && /\s/.test(string),
  );
  for (const match of text.matchAll(
    /(?:[[(,]\s*)?(?:(['"`])(?:(?!\1)[^\\\n]|\\[^])*\1\s*,\s*[[(]?\s*)+(?:(['"`])(?:(?!\2)[^\\\n]|\\[^])*\2|[\w.]+)/g,
  )) {
    const words = Array.from(match[0].matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\[^])*)\1/g), ([, , word = '']) =>
      unescape(word),
    );
    if (words.length > 1 && /^[\w./-]+$/.test(words[0] ?? '')) lines.push(words.map(quoteShellWord).join(' '));
  }
  return [...new Set(lines)].slice(0, 64);
}

function isAgentName(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1);
  return name === 'klaus' || (STRONG.test(name) && AGENT_PROGRAMS.has(name));
}

/** Names that are no ordinary words. */
const STRONG =
  /^(?:claude|codex|gemini|opencode|aider|cursor-agent|crush|qwen|droid|auggie|goose|ollama|kimi|openhands)$/;

function findRemote(text: string): string | undefined {
  for (const match of text.matchAll(URL_TEXT))
    if (!LOCAL_HOST.test(match[1] ?? '') && !/^[.$%{]/.test(match[1] ?? '')) return match[0];
  return text
    .split('\n')
    .find((string) => HOST_TEXT.test(string) && !LOCAL_HOST.test(string) && !FILE_TEXT.test(string));
}

/** The absolute path that a literal names; undefined for other texts. */
function toPath(string: string, { userHome, workspace }: HostFacts): string | undefined {
  if (/\s/.test(string) || string.length > 512 || string.length < 2) return undefined;
  if (string === '~' || string.startsWith('~/')) return userHome + string.slice(1);
  if (/^\.\.(?:\/|$)/.test(string)) return normalize(`${workspace}/${string}`);
  return /^\/(?:[\w.@+-]+\/?)+$/.test(string) ? normalize(string) : undefined;
}

function normalize(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') out.pop();
    else if (part !== '' && part !== '.') out.push(part);
  }
  return `/${out.join('/')}`;
}

function isInside(path: string, { workspace }: HostFacts): boolean {
  return path === workspace || path.startsWith(`${workspace}/`);
}

/** Absolute texts that are routes of an application, or harmless files, rather than places of the machine. */
function isHarmless(path: string, { userHome }: HostFacts): boolean {
  if (path.startsWith(`${userHome}/`)) return false;
  return (
    !/^\/(?:home|root|Users|etc|usr|var|opt|srv|mnt|media|boot|bin|sbin|lib|private|Library|System|Applications|Volumes|data)(?:\/|$)/.test(
      path,
    ) || /^\/(?:usr|bin|opt)(?:\/[\w.-]+)*\/(?:env|bash|sh|node|python\d*)$/.test(path)
  );
}

function shorten(text: string): string {
  return cutText(text, 80);
}
