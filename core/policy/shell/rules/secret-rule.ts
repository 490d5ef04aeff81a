import { ask, askUnknown, type ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isEverything, namesSecret, type ShellContext } from './target.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { isKnown, isOpaque, showWord, type Word } from '../expansion/word.ts';
import { toList, toSet } from '../../word-list.ts';

/** Programs that use names of files, not their content. */
const NAMES_ONLY = toSet(
  'echo printf ls stat test [ du touch chmod basename dirname realpath readlink cd pushd mkdir export declare local typeset readonly alias set unset read type which command tree find fd fdfind env printenv exec trap eval seq for let unlink dotenv-linter',
);
/** Programs whose first plain argument is a pattern or a script. */
const PATTERN_FIRST = toSet(
  'grep egrep fgrep rg ag ack zgrep sed gsed awk gawk mawk nawk jq yq tr perl ruby python python3 node',
);
const PATTERN_FLAGS = toList(
  '-e --regexp -f --file -A -B -C -m -g --glob --include --exclude --exclude-dir --iglob -t --type -n -i -F -v --arg --argjson',
);
/** Programs that print or copy the content of a file. */
const PRINTERS = toSet(
  'cat tac head tail less more most bat batcat nl od xxd hexdump strings base64 base32 rev cp mv install dd tee sort paste cut fold fmt pr column uniq comm diff cmp split csplit openssl gpg zip tar scp rsync ln vim vi nano ed dos2unix iconv',
);

/** Secret files: reads, copies or replaces a file that holds credentials. */
export function judgeSecrets(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const made = findMade(command, context);
  for (const { operator, target } of command.redirects)
    if (operator !== '<<<' && target !== made && namesSecret(target, command, context)) return toFinding(target);
  if (NAMES_ONLY.has(command.name) || command.argv.length < 2) return undefined;
  for (const word of toFileWords(command)) {
    if (word === made) continue;
    if (namesSecret(word, command, context)) return toFinding(word);
    const prints = PRINTERS.has(command.name);
    if (prints && isEverything(word, command.dotglob))
      return ask(`${showWord(word)} includes hidden files, and so secret ones`);
    if ((prints || PATTERN_FIRST.has(command.name)) && isOpaque(word))
      return askUnknown(
        `the name of the file that ${command.name} opens is computed in a way that cannot be evaluated`,
      );
  }
  return undefined;
}

function toFinding(word: Word): ShellFinding {
  return ask(`${showWord(word)} is, or can be, a secret file`);
}

/** A template of a secret file: `.env.example`, `config/secrets.sample.yml`. */
const TEMPLATE = /(?:^|[._/-])(?:example|sample|template|tmpl|tpl|dist|default|defaults|skel|stub)(?:[._-][^/]*)?$/i;

/**
 * The secret file that a command creates from a template, or as a new key: no secret is read. The sandbox masks an
 * existing secret file, so that it cannot be overwritten.
 */
function findMade(command: SimpleCommand, context: ShellContext): Word | undefined {
  const { name, redirects } = command;
  const args = command.argv.slice(1);
  const isTemplate = (word: Word | undefined) =>
    word !== undefined && isKnown(word) && TEMPLATE.test(word) && !namesSecret(word, command, context);
  if (name === 'cp' || name === 'install') {
    const { rest, flags } = readOptions(args, ['-m', '--mode', '-S', '--suffix']);
    const plain = [...flags].every((flag) =>
      /^-[nvpifumT]$|^--(?:no-clobber|verbose|update|mode|preserve)$/.test(flag),
    );
    const keeps = isKept(rest[1], command, context) || flags.has('-n') || flags.has('--no-clobber');
    return plain && keeps && rest.length === 2 && isTemplate(rest[0]) ? rest[1] : undefined;
  }
  if (name === 'cat' || name === 'envsubst') {
    const inputs = [...args, ...redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)];
    const out = redirects.filter(({ operator }) => operator === '>' || operator === '>|');
    const isCopy = inputs.length === 1 && inputs.every(isTemplate) && out.length === 1;
    return isCopy && isKept(out[0]?.target, command, context) ? out[0]?.target : undefined;
  }
  if (name === 'openssl' && /^(?:req|genrsa|genpkey|ecparam|dsaparam|rand)$/.test(args[0] ?? '')) {
    const at = args.findIndex(
      (arg) => /^-(?:keyout|out)$/.test(arg) && namesSecret(args[args.indexOf(arg) + 1] ?? '', command, context),
    );
    const reads = args.some((arg) => /^-(?:in|inkey|key|CAkey|signkey|passin|config|extfile)$/.test(arg));
    return at >= 0 && !reads ? args[at + 1] : undefined;
  }
  if (name === 'ssh-keygen') {
    const { flags, values } = readOptions(args, ['-t', '-b', '-C', '-N', '-f', '-a']);
    return [...flags].every((flag) => /^-[tbCNfaq]$/.test(flag)) ? values.get('-f') : undefined;
  }
  return undefined;
}

/** True if no content of the file can be lost: the sandbox masks it, or it does not exist. */
function isKept(word: Word | undefined, { cwds }: SimpleCommand, { isOffline, host }: ShellContext): boolean {
  if (isOffline) return true;
  return (
    host !== undefined &&
    word !== undefined &&
    isKnown(word) &&
    cwds.every((cwd) => !host.exists(resolvePath(word, cwd)))
  );
}

/** The arguments that can be files, without search patterns, commit messages and similar values. */
function toFileWords(command: SimpleCommand): Word[] {
  const { name } = command;
  const args = command.argv.slice(1);
  if (PATTERN_FIRST.has(name)) {
    const code = new Set(command.code.map(({ text }) => text));
    if (code.size > 0) return args.filter((arg) => !code.has(arg));
    const { rest, all } = readOptions(
      args,
      PATTERN_FLAGS.filter((flag) => !(/^(?:-n|-i|-F|-v)$/.test(flag) && /grep|rg|ag|ack/.test(name))),
    );
    const given = all.some(({ flag }) => /^(?:-e|--regexp|-f|--file)$/.test(flag));
    const files = all
      .filter(({ flag }) => /^(?:-f|--file|-g|--glob|--include|--iglob)$/.test(flag))
      .map(({ value }) => value);
    const listing = args.includes('--files') || /^(?:python|node)/.test(name);
    return [...(given || listing ? rest : rest.slice(1)), ...files.filter((file) => !file.startsWith('!'))];
  }
  if (name === 'git') return toGitWords(args);
  if (/^(?:gh|glab|npm|pnpm|yarn)$/.test(name))
    return args.filter((_, at) => !/^(?:-m|--message|--title|--body|-t|-b)$/.test(args[at - 1] ?? ''));
  if (name === 'rm') return [];
  return args;
}

const GIT_NAMES_ONLY = toSet('check-ignore ls-files status rm ls-tree branch tag merge-base');

/** Options whose value is no file. */
const GIT_TEXT = /^(?:-m|--message|-S|-G|--grep|--author|--format|--pretty|-F|--date|--since|-b|-B)$/;

function toGitWords(args: readonly Word[]): Word[] {
  const sub = args.find((arg, at) => !arg.startsWith('-') && !/^-[cC]$/.test(args[at - 1] ?? '')) ?? '';
  if (GIT_NAMES_ONLY.has(sub)) return [];
  if (sub === 'log' && !args.some((arg) => /^(?:-p|-u|--patch|-c|--cc|-L.*|--full-diff)$/.test(arg))) return [];
  const at = args.indexOf(sub);
  let rest = args.slice(at + 1);
  if (sub === 'diff' && rest.some((arg) => /^--(?:name-only|name-status|stat|shortstat|numstat)$/.test(arg))) return [];
  rest = rest.filter((arg, index) => !GIT_TEXT.test(rest[index - 1] ?? '') && !/^-m./.test(arg));
  if (sub === 'grep') {
    const first = rest.findIndex((arg) => !arg.startsWith('-'));
    if (!rest.includes('-e')) rest = rest.filter((_, index) => index !== first);
  }
  // Paths that a pathspec excludes are not read.
  return rest.filter((arg) => !/^:[!^]|^:\(exclude/.test(arg)).map((arg) => arg.replace(/^:(?:\([^)]*\)|\/)/, ''));
}
