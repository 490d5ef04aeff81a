import { createCount } from '../count.ts';

const count = createCount('en');

/** Texts of the dialogs that attach something to a message, in English. */
export const enAttach = {
  titles: {
    diff: 'Attach uncommitted changes',
    commit: 'Attach a commit',
    failure: 'Attach a failed command or check',
    issue: 'Attach an issue',
  },
  attach: 'Attach',
  choose: 'Choose another one',
  preview: 'Preview',
  files: (n: number) => count(n, 'file', 'files'),
  size: (files: string, bytes: string, tokens: string) => `${files}, ${bytes}, about ${tokens} tokens`,
  tooLarge: (size: string, limit: string) =>
    `It has at least ${size} characters; at most ${limit} can be attached. Name the files with @ in the message: Klaus can read them.`,
  tooLargeDiff: (size: string, limit: string) =>
    `The diff has at least ${size} characters; at most ${limit} can be attached. Stage a part of it and attach only that, or name the files with @ in the message.`,
  leftOut: (n: number) => `${count(n, 'file', 'files')} left out, because of secrets or the policy:`,
  more: (n: number) => `and ${n} more`,
  noRepository: 'This folder has no Git repository.',
  noRepositoryHint: (folder: string) => `Run \`git init\` in ${folder}, or attach files instead.`,
  noRepositoryFolder: 'the folder',
  diff: {
    what: 'Changes',
    all: 'All changes',
    staged: 'Staged only',
    failed: 'The changes could not be read.',
    none: 'There are no uncommitted changes.',
    noneStaged: 'Nothing is staged.',
    noneStagedHint: 'Stage changes with `git add`, or attach all of them.',
    onlySecrets: 'Only files with secrets, or hidden by the policy, have changed. Their content is not attached.',
  },
  commit: {
    find: 'Find a commit by subject, author or hash',
    list: 'Latest commits',
    failed: 'The commits could not be read.',
    failedOne: 'The commit could not be read.',
    none: 'No matching commits',
    empty: 'This repository has no commits yet.',
  },
  failure: {
    find: 'Find a command',
    list: 'Failed commands and checks of this session, the latest first',
    failed: 'The output could not be loaded.',
    none: 'No matching commands',
    empty: 'Nothing has failed in this session.',
    notBegun: 'This session has not begun yet, so no command has failed.',
    emptyHint: 'Failed commands and checks are listed here.',
    check: 'check',
    name: (command: string) => `failed: ${command}`,
    command: 'Command',
    exitCode: 'Exit code',
    bySignal: 'none, ended by a signal',
    output: 'End of the output',
    noOutput: 'It has no recorded output.',
  },
  issue: {
    url: 'Address of the issue',
    hint: 'Of an issue, a pull request or any page, such as `https://github.com/owner/repo/issues/12`.',
    problems: {
      incomplete: 'This is not a complete address. Enter one that begins with `https://`.',
      protocol: 'Only `https://` and `http://` can be read. Enter such an address.',
      credentials: 'The address contains a password or a token. Remove it: the model and the log would get it.',
    },
    shownAs: (label: string) => `Attached as ${label}.`,
    server: 'The server does not read the page. The model can read it with a call that the gate decides about.',
    noAccess: (host: string) => `This session has no access to ${host}: you will be asked before the page is read.`,
    newSession: (host: string) => `Unless its grant allows ${host}, the new session asks you before it reads the page.`,
    prompt: (label: string, url: string) => `Read ${label} first: ${url}`,
  },
};

export type AttachText = typeof enAttach;
