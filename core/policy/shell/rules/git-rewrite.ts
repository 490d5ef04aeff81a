import { ask, type ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import { hasGlob, isKnown, showWord, type Word } from '../expansion/word.ts';
import { toList } from '../../word-list.ts';

/** Options that are also the beginning of another option. */
const COMPLETE = new Set(['--prune', '--all', '--edit', '--keep-pack']);

/** Finds options as git reads them: long ones can be abbreviated. */
export function createOptionLookup(flags: ReadonlySet<string>): (...names: string[]) => boolean {
  return (...names) =>
    [...flags].some((flag) =>
      names.some(
        (name) =>
          flag === name || (flag.startsWith('--') && !COMPLETE.has(flag) && flag.length > 2 && name.startsWith(flag)),
      ),
    );
}

const VALUED = toList('-m --message -F -C -c -b -B -s -X --strategy --onto --author --date');
const LIKE_A_FILE = /[^/.]\.[A-Za-z]\w*$/;
/** Programs other than git that rewrite commits. */
const REWRITERS =
  /^(?:absorb|revise|machete|town|imerge|autofixup|stack|branchless|replay|history|undo|filter-repo|filter-branch|squash|fixup|rebase-update)$/;

/** Git: rewrites or drops commits of a branch, tag, note or stash. New commits and branches are allowed. */
export function judgeRewrite(name: Word, rest: readonly Word[]): ShellFinding | undefined {
  const valued = name === 'commit' ? VALUED : VALUED.filter((flag) => flag !== '-c' && flag !== '-C');
  const { flags, rest: words, values } = readOptions(rest, valued);
  const has = createOptionLookup(flags);
  if (REWRITERS.test(name)) return ask(`git ${name} rewrites commits`);
  switch (name) {
    case 'commit':
      return has('--amend') ? ask('it replaces the last commit') : undefined;
    case 'reset':
      return judgeReset(rest);
    case 'rebase':
      return has('--abort', '--continue', '--quit', '--show-current-patch', '--edit-todo') && !has('-x', '--exec')
        ? undefined
        : ask('it rewrites the commits of a branch');
    case 'checkout':
      return has('-B')
        ? ask('it moves a branch that may exist to another commit')
        : toNamed([values.get('-b') ?? (has('--orphan') ? words[0] : undefined)]);
    case 'switch':
      return has('-C', '--force-create')
        ? ask('it moves a branch that may exist to another commit')
        : toNamed([has('-c', '--create', '--orphan') ? words[0] : undefined]);
    case 'branch':
      return has('-D', '-M', '-C', '--force', '-f')
        ? ask('it deletes or overwrites a branch with the commits on it')
        : toNamed(has('-d', '--delete', '--list', '-l') ? [] : words);
    case 'tag':
      if (has('-d', '--delete', '-f', '--force')) return ask('it deletes or moves a tag');
      return toNamed(has('-l', '--list') ? [] : [words[0]]);
    case 'worktree':
      return has('--force', '-f', '-B')
        ? ask('it removes a working tree, or moves a branch')
        : toNamed([values.get('-b')]);
    case 'symbolic-ref':
      return words.length > 1 || has('-d', '--delete', '-m') ? ask('it changes the commit of a ref') : undefined;
    case 'stash':
      return /^(?:drop|clear)$/.test(words[0] ?? '') || !words.every(isKnown)
        ? ask('it deletes stashed changes')
        : undefined;
    case 'reflog':
      return /^(?:expire|delete|drop|write)$/.test(words[0] ?? '')
        ? ask('it deletes what git keeps for a recovery')
        : undefined;
    case 'gc':
    case 'maintenance':
      return has('--prune', '--expire-to') ? ask('it deletes what git keeps for a recovery') : undefined;
    case 'repack':
      return has('-a', '-A') && has('-d') && !has('-k', '--keep-unreachable')
        ? ask('it deletes what git keeps for a recovery')
        : undefined;
    case 'notes':
      return /^(?:remove|prune)$/.test(words[0] ?? '') || has('-f', '--force')
        ? ask('it deletes or overwrites notes')
        : undefined;
    case 'pull':
      return (has('--rebase', '-r') && values.get('--rebase') !== 'false') || has('-f', '--force')
        ? ask('it rewrites the commits of the branch')
        : judgeRefspecs(words, has('-p', '--prune'));
    case 'fetch':
      return has('-f', '--force', '-u', '--update-head-ok', '--prune-tags', '--refmap')
        ? ask('it overwrites branches of this repository')
        : judgeRefspecs(words, has('-p', '--prune'));
    default:
      return undefined;
  }
}

function judgeReset(rest: readonly Word[]): ShellFinding | undefined {
  const { flags, rest: words } = readOptions(rest.slice(0, toEnd(rest)), ['-U', '--unified']);
  const has = createOptionLookup(flags);
  if (has('--hard', '--merge', '--keep')) return ask('it discards uncommitted changes');
  const hasPaths = rest.includes('--') && rest.at(-1) !== '--';
  // Paths after a commit: only the index changes.
  if (hasPaths || words.length === 0) return undefined;
  const [first = ''] = words;
  if (!has('--soft', '--mixed') && words.length > 1) return undefined;
  if (/^(?:HEAD|@)$/.test(first) && words.length === 1) return undefined;
  const isPlain = words.length === 1 && !has('--soft', '--mixed') && isPathLike(first);
  return isPlain ? undefined : ask(`it moves the branch to ${showWord(first)}: commits are dropped from it`);
}

function toEnd(rest: readonly Word[]): number {
  const at = rest.indexOf('--');
  return at < 0 ? rest.length : at;
}

/** True for a word that is a file rather than a commit: `./x`, `*.ts`, `src/a.ts`. The gate asks before a branch gets such a name. */
function isPathLike(word: Word): boolean {
  if (/[~^:]|@\{|\.\./.test(word) || !isKnown(word.replace(/[\uE001-\uE003]/g, ''))) return false;
  return hasGlob(word) || word === '.' || word.startsWith('./') || word.endsWith('/') || LIKE_A_FILE.test(word);
}

/** A branch or tag named like a file: `git reset` and `git checkout` would confuse the two. */
function toNamed(names: readonly (Word | undefined)[]): ShellFinding | undefined {
  const name = names.find((word) => word !== undefined && LIKE_A_FILE.test(word));
  return name === undefined ? undefined : ask(`it names a branch or tag like the file ${showWord(name)}`);
}

/** Refspecs that overwrite branches of this repository regardless of their commits, or delete them. */
function judgeRefspecs(words: readonly Word[], prunes = false): ShellFinding | undefined {
  const forced = words.find((word) => word.startsWith('+') || !isKnown(word));
  if (forced !== undefined) return ask(`${showWord(forced)} overwrites, or can overwrite, a branch of this repository`);
  // Settings can prune too: a pattern deletes every branch that the remote does not have.
  const pruned = words.find((word) => {
    const to = word.split(':')[1] ?? '';
    return !/^(?:refs\/)?remotes\//.test(to) && (to.includes('*') || (prunes && to !== ''));
  });
  return pruned === undefined
    ? toNamed(words.map((word) => word.split(':')[1]))
    : ask(`${showWord(pruned)} can delete branches or tags of this repository`);
}
