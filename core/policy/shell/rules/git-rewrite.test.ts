import { expect, test } from 'vitest';
import { judgeCommand } from '../judge-command.ts';

const verdict = (line: string, isOffline = true) => judgeCommand(line, { workspace: '/w', isOffline }).verdict;

test.each([
  'git reset HEAD~1',
  'git reset --soft HEAD~1',
  'git reset --mixed main',
  'git reset main',
  'git reset feature/x',
  'git reset 1a2b3c4',
  'git reset -q origin/main',
  'git reset @~2',
  'git reset --keep HEAD~1',
  'git reset --har main',
  'git reset --so HEAD^ --',
  'git reset "$(git rev-parse HEAD~1)"',
  'git commit --amend --no-edit',
  'git commit --ame -m x',
  'git commit -q --am --no-edit',
  'git rebase main',
  'git rebase -i HEAD~3',
  'git rebase --skip',
  'git rebase --onto main a b',
  'git checkout -B main HEAD~2',
  'git checkout -qB main',
  'git switch -C main HEAD~2',
  'git switch --force-create main HEAD~2',
  'git branch -f main HEAD~2',
  'git branch --forc main HEAD~2',
  'git branch -M main',
  'git branch -D topic',
  'git branch -d --force topic',
  'git worktree add -B main ../x HEAD~1',
  'git worktree remove --force x',
  'git update-ref refs/heads/main HEAD~1',
  'git update-ref -d refs/heads/main',
  'git symbolic-ref HEAD refs/heads/other',
  'git symbolic-ref -d HEAD',
  'git filter-branch --tree-filter true HEAD',
  'git filter-repo --path x',
  'git replace HEAD HEAD~1',
  'git reflog expire --expire=now --all',
  'git reflog delete HEAD@{1}',
  'git stash drop',
  'git stash clear',
  'git stash -q drop',
  'git gc --prune=now',
  'git gc --pru=now',
  'git -c gc.pruneExpire=now gc',
  'git -c gc.reflogExpire=now gc',
  'git prune',
  'git repack -a -d',
  'git notes remove HEAD',
  'git notes add -f -m x',
  'git tag -f v1 HEAD~1',
  'git fetch . +HEAD~1:main',
  'git fetch --force . HEAD~1:main',
  'git fetch -f origin main:main',
  'git fetch -p . "refs/heads/none/*:refs/heads/*"',
  'git fetch . "refs/heads/none/*:refs/heads/*"',
  'git fetch -p . refs/heads/none:refs/heads/main',
  'git fetch --prune origin "refs/tags/*:refs/tags/*"',
  'git pull --prune . none:main',
  'git pull --rebase',
  'git pull -r',
  'git -c pull.rebase=true pull',
  'git -C sub reset --soft HEAD~1',
  'git -c alias.x="reset --soft HEAD~1" x',
  'git -c alias.x="!git commit --amend" x',
  'git --no-pager reset --soft HEAD~1',
  '/usr/lib/git-core/git-reset --soft HEAD~1',
  'env GIT_DIR=.git git rebase main',
  'git absorb',
  'git replay --onto main a..b',
  'git branch x.ts HEAD~3',
  'git checkout -b a.md HEAD~3',
])('%s is asked about', (line) => {
  expect(verdict(line)).toBe('ask');
});

test.each(['git push -f', 'git push --forc origin main', 'git push . +HEAD~1:main', 'git push origin :main'])(
  '%s is denied',
  (line) => {
    expect(verdict(line)).toBe('deny');
  },
);

test.each([
  'git reset',
  'git reset HEAD',
  'git reset -q',
  'git reset HEAD src/a.ts',
  'git reset HEAD -- src',
  'git reset -- src',
  'git reset src/index.ts',
  'git reset ./src',
  'git reset .',
  'git reset main -- src/a.ts',
  'git commit -m "amend it"',
  'git commit --allow-empty -am x',
  'git commit --fixup HEAD',
  'git rebase --continue',
  'git rebase --abort',
  'git checkout -b topic',
  'git checkout main',
  'git switch -c topic',
  'git branch topic',
  'git branch release-1.2',
  'git branch -m old new',
  'git branch -d merged',
  'git merge topic',
  'git merge --squash topic',
  'git cherry-pick abc123',
  'git revert HEAD',
  'git tag v1.0.0',
  'git tag -l "*.json"',
  'git stash',
  'git stash pop',
  'git stash push -m drop',
  'git symbolic-ref --short HEAD',
  'git gc',
  'git reflog',
  'git notes add -m x',
  'git worktree add wt topic',
  'git config pull.rebase true',
])('%s passes', (line) => {
  expect(verdict(line)).toBe('allow');
});

test.each(['git fetch -p', 'git fetch -p origin', 'git fetch --prune origin main'])('%s passes', (line) => {
  expect(verdict(line)).toBe('allow');
});

test('without a network, what only reaches another repository passes', () => {
  for (const line of [
    'git fetch',
    'git fetch origin main',
    'git pull',
    'git pull --rebase=false',
    'git clone https://h/x',
  ])
    expect([line, verdict(line), verdict(line, false)]).toEqual([line, 'allow', 'ask']);
  // Another repository on this machine is reached without one.
  expect(verdict('git push')).toBe('ask');
  for (const line of ['git clone -c core.fsmonitor=./x . y', 'git clone --template=t . y', 'git clone . .git/hooks/x'])
    expect([line, verdict(line)]).not.toEqual([line, 'allow']);
});
