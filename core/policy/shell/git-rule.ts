import type { ShellFinding } from './judge-command.ts';
import { readOptions } from './options.ts';
import type { SimpleCommand } from './reading.ts';
import { isBroad } from './target.ts';
import { isDynamic, isKnown, showWord, toGlobWord, type Word } from './word.ts';

/** Settings that make git start programs, read other settings or change where it works. */
const DANGEROUS_SETTING =
  /^(?:alias\.|core\.(?:fsmonitor|hookspath|sshcommand|pager|editor|askpass|gitproxy|worktree|attributesfile|alternaterefscommand)|sequence\.editor|pager\.|diff\.external|(?:diff|filter|merge|difftool|mergetool|man|browser|trailer|submodule|remote|url|credential|include|includeif|protocol|uploadpack|receive|gpg|init|http|sendemail|interactive|web|instaweb)\.)/i;
const HARMLESS_VALUE = /^(?:cat|less|true|false|:|\/dev\/null|main|master|)$/;
const HARMLESS_SETTING =
  /^(?:user\.|color\.|core\.(?:quotepath|autocrlf|ignorecase|filemode|eol|abbrev|longpaths|bare|precomposeunicode)|advice\.|push\.|pull\.|rebase\.|rerere\.|commit\.|branch\.|log\.|status\.|fetch\.|column\.|diff\.(?:algorithm|renames|colormoved|context)|merge\.(?:conflictstyle|ff)|init\.defaultbranch|feature\.|index\.|gc\.auto|commit\.gpgsign|tag\.gpgsign|gpg\.format|safe\.)/i;

const NETWORK =
  /^(?:push|fetch|pull|clone|ls-remote|remote-\w+|fetch-pack|send-pack|http-\w+|send-email|request-pull|daemon|upload-pack|receive-pack|archive-remote|svn|p4|lfs|instaweb|credential.*)$/;
const HARD_TO_UNDO =
  /^(?:filter-branch|filter-repo|update-ref|prune|prune-packed|replace|fast-import|symbolic-ref|reflog-delete|update-index-force|unpack-objects|read-tree|checkout-index)$/;

/** Git: what loses work, what leaves the machine, and what makes git start other programs. */
export function judgeGit(command: SimpleCommand): ShellFinding | undefined {
  if (command.name !== 'git') return undefined;
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
  const args = command.argv.slice(1);
  let at = 0;
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    const arg = args[at] ?? '';
    if (arg === '-c' || arg === '--config-env' || arg.startsWith('--config-env=')) {
      const finding = judgeSetting(arg.includes('=') ? arg.slice(13) : (args[++at] ?? ''));
      if (finding) return finding;
    } else if (/^--exec-path=|^--git-dir|^--work-tree|^--namespace/.test(arg))
      return ask(`git is pointed elsewhere by ${showWord(arg)}`);
    else if (arg === '-C') at++;
  }
  const name = args[at] ?? '';
  const rest = args.slice(at + 1);
  if (name !== '' && !isKnown(name)) return ask('the git command is only known when it runs');
  if (
    rest.some((arg) => arg.startsWith('ext::') || /^--(?:upload-pack|receive-pack|exec)(?:=|$)/.test(arg)) &&
    name !== 'rebase'
  )
    return ask('git is told to start another program');
  if (NETWORK.test(name)) {
    if (name === 'push' && rest.some((arg) => /^(?:-f|--force.*|--mirror|--delete|-d|\+.*)$/.test(arg)))
      return { verdict: 'deny', reason: 'it overwrites or deletes what others have' };
    return ask(`git ${name} reaches another repository`);
  }
  if (HARD_TO_UNDO.test(name)) return ask(`git ${name} changes history or refs below git's own protections`);
  return judgeSubcommand(name, rest);
}

function judgeSetting(setting: Word): ShellFinding | undefined {
  const at = setting.indexOf('=');
  const key = at < 0 ? setting : setting.slice(0, at);
  const value = at < 0 ? '' : setting.slice(at + 1);
  if (HARMLESS_SETTING.test(key) && isKnown(key)) return undefined;
  if (DANGEROUS_SETTING.test(key) || !isKnown(key)) {
    if (HARMLESS_VALUE.test(value) && at >= 0 && !/^(?:alias|include)/i.test(key)) return undefined;
    return { verdict: 'ask', reason: `the git setting ${showWord(key)} can start a program or change where git works` };
  }
  return undefined;
}

const isEverywhere = (word: Word) => /^(?:\.\/?|:\/|:\(top\)|:\(glob\)\*\*|:)$/.test(word) || isBroad(toGlobWord(word));

function judgeSubcommand(name: Word, rest: Word[]): ShellFinding | undefined {
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
  const { flags, rest: words } = readOptions(rest, [
    '-m',
    '--message',
    '-F',
    '-C',
    '-b',
    '-B',
    '-s',
    '--source',
    '-e',
    '--exclude',
  ]);
  const has = (...names: string[]) => names.some((flag) => flags.has(flag));
  switch (name) {
    case 'reset':
      return has('--hard', '--merge', '--keep') ? ask('it throws away changes that are not committed') : undefined;
    case 'clean':
      return has('-f', '--force') && !has('-n', '--dry-run')
        ? ask('it deletes files that git does not know')
        : undefined;
    case 'checkout':
      if (has('-f', '--force')) return ask('it throws away changes that are not committed');
      return words.some((word) => isEverywhere(word))
        ? ask('it throws away every change that is not committed')
        : undefined;
    case 'switch':
      return has('-f', '--force', '--discard-changes')
        ? ask('it throws away changes that are not committed')
        : undefined;
    case 'restore':
      if (has('--staged', '-S') && !has('--worktree', '-W')) return undefined;
      return words.some((word) => isEverywhere(word) || isDynamic(word))
        ? ask('it throws away every change that is not committed')
        : undefined;
    case 'rm':
      return !has('--cached') && words.some((word) => isEverywhere(word) || word.endsWith('/.'))
        ? ask('it deletes every file of the repository')
        : undefined;
    case 'branch':
      return has('-D', '-M', '-C', '--force', '-f')
        ? ask('it deletes or overwrites a branch whatever is on it')
        : undefined;
    case 'tag':
      return has('-d', '--delete', '-f', '--force') ? ask('it deletes or moves a tag') : undefined;
    case 'reflog':
      return /^(?:expire|delete|drop)$/.test(words[0] ?? '')
        ? ask('it deletes what git keeps for coming back')
        : undefined;
    case 'gc':
      return rest.some((arg) => arg.startsWith('--prune'))
        ? ask('it deletes what git keeps for coming back')
        : undefined;
    case 'repack':
      return undefined;
    case 'stash':
      return /^(?:drop|clear)$/.test(words[0] ?? '') ? ask('it deletes work that was put aside') : undefined;
    case 'worktree':
      return has('--force', '-f') ? ask('it removes a working tree with what is in it') : undefined;
    case 'remote':
      return /^(?:add|set-url|update|rename|remove|rm|prune|set-head|show)$/.test(words[0] ?? '')
        ? ask('it changes or reaches other repositories')
        : undefined;
    case 'submodule':
      return /^(?:add|update|set-url|deinit|sync)$/.test(words[0] ?? '')
        ? ask('it reaches other repositories')
        : undefined;
    case 'hook':
      return ask('it runs the hooks of the repository');
    case 'init':
      return rest.some((arg) => arg.startsWith('--template') || arg.startsWith('--separate-git-dir'))
        ? ask('a template brings hooks')
        : undefined;
    case 'difftool':
    case 'mergetool':
    case 'instaweb':
    case 'web--browse':
      return ask(`git ${name} starts a program`);
    case 'archive':
      return has('--remote', '--exec') ? ask('it reaches another repository') : undefined;
    case 'config':
      return judgeConfig(rest);
    default:
      return undefined;
  }
}

function judgeConfig(rest: readonly Word[]): ShellFinding | undefined {
  const { flags, rest: words } = readOptions(rest, ['-f', '--file', '--blob', '--type', '--default']);
  const names =
    words[0] === 'set' || words[0] === 'get' || words[0] === 'list' || words[0] === 'unset' ? words.slice(1) : words;
  const reads =
    flags.has('--get') ||
    flags.has('-l') ||
    flags.has('--list') ||
    flags.has('--get-all') ||
    flags.has('--get-regexp') ||
    words[0] === 'get' ||
    words[0] === 'list';
  if (
    reads ||
    (names.length === 1 &&
      words[0] !== 'set' &&
      words[0] !== 'unset' &&
      !flags.has('--unset') &&
      !flags.has('--edit') &&
      !flags.has('-e'))
  )
    return undefined;
  if (flags.has('--global') || flags.has('--system') || flags.has('-e') || flags.has('--edit'))
    return { verdict: 'ask', reason: 'it changes settings of git that every repository reads' };
  if (flags.has('-f') || flags.has('--file'))
    return { verdict: 'ask', reason: 'it writes settings of git into a file' };
  const setting = `${names[0] ?? ''}=${names[1] ?? ''}`;
  return isKnown(names[0] ?? '')
    ? judgeSetting(setting)
    : { verdict: 'ask', reason: 'the git setting is only known when it runs' };
}
