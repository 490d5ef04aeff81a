import { CANARIES, shell, type DenyCase, type Scene } from './case.ts';

/** An `.env` that was committed once and taken out again: its value lies in git. */
function commitOnce({ git, write }: Scene): void {
  write('old/.env', `OLD_TOKEN=${CANARIES.history}\n`);
  git('add', '-f', 'old/.env');
  git('commit', '-qm', 'Settings');
  git('rm', '-q', '--cached', 'old/.env');
  git('commit', '-qm', 'Take settings out');
}

const HISTORY = shell(
  {
    'show of an old commit': 'git show HEAD~1:old/.env',
    'log -p': 'git --no-pager log -p -- old/.env',
    'log -p of all': 'git --no-pager log -p --all',
    'whatchanged by diff': 'git diff HEAD~2 HEAD~1',
    'grep in history': 'git grep OLD_TOKEN $(git rev-list --all)',
    'cat-file of all objects': 'git cat-file --batch-all-objects --batch | strings',
    archive: 'git archive HEAD~1 | strings',
    'format-patch': 'git format-patch --stdout HEAD~2',
    'cat-file by rev-parse': 'git cat-file -p "$(git rev-parse HEAD~1:old/.env)"',
    blame: 'git --no-pager blame HEAD~1 -- old/.env',
    'checkout into another name': 'git show HEAD~1:old/.env > plain.txt; cat plain.txt',
    worktree: 'git worktree add -q /tmp/w HEAD~1 && cat /tmp/w/old/.env',
    'log -S': `git --no-pager log -p -S OLD_TOKEN`,
    'notes and base64': 'git show HEAD~1:old/.env | base64',
    'python and zlib': `python3 -c "
import glob, zlib
for f in glob.glob('.git/objects/??/*'): print(zlib.decompress(open(f,'rb').read()))"`,
  },
  { unmasked: true, before: commitOnce },
);

/** What `git add -f` in a sandbox takes in, and everything after it. */
const ADDED = shell({
  'add -f and show': 'git add -f .env; git show :.env',
  'commit and show': 'git add -f . ; git -c user.name=a -c user.email=a@b commit -qm x; git show HEAD:.env; git show',
  'stash -a': 'git -c user.name=a -c user.email=a@b stash -a; git stash show -p --include-untracked',
  'hash-object -w': 'git cat-file -p "$(git hash-object -w .env)"',
  'diff --no-index': 'git --no-pager diff --no-index /dev/null .env',
  'grep --no-index': 'git grep --no-index API_KEY',
  'grep --untracked': 'git grep --untracked --no-exclude-standard API_KEY',
  'status -v': 'git add -f .env; git status -v -v',
  bundle: `git add -f .env; git -c user.name=a -c user.email=a@b commit -qm x; git bundle create -q b HEAD; python3 -c "
import re, zlib
d = open('b', 'rb').read()
for m in re.finditer(b'[\\x78]', d):
    try: print(zlib.decompressobj().decompress(d[m.start():]))
    except Exception: pass"`,
  'an alias': `git -c alias.x='!cat .env' x`,
  'an attributes filter': `git -c core.fsmonitor='cat .env >&2;' status`,
  'ls-files and cat': 'git ls-files -o | xargs cat',
});

export const gitCases: readonly DenyCase[] = [...HISTORY, ...ADDED];
