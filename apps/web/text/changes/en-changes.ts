import { createCount } from '../count.ts';

const count = createCount('en');

/** Texts about changes in English: diffs, comments on lines, commits. */
export const enChanges = {
  ignoreSpace: 'Ignore whitespace',
  onlySpace: 'Only whitespace differs',
  folded: (n: number) => `Only whitespace differs in ${count(n, 'line', 'lines')}.`,
  unfold: 'Show these lines',
  tree: 'Changed files',
  viewed: 'Viewed',
  viewedProgress: 'Viewed files',
  viewedOf: (viewed: number, all: number) => `${viewed} of ${all} viewed`,
  lines: (added: number, removed: number) =>
    `${count(added, 'added line', 'added lines')}, ${count(removed, 'removed line', 'removed lines')}`,
  revert: (path: string) => `Revert ${path}`,
  revertTitle: (path: string) => `Revert ${path}?`,
  revertHint: (turn: number) => `The file gets the content that it had before turn ${turn}. A redo restores it.`,
  revertDo: 'Revert',
  revertOverwrite: 'Revert, overwrite these',
  reverted: (path: string) => `${path} is reverted.`,
  redo: 'Redo',
  comments: {
    title: 'Comments',
    add: (line: number, text: string) => `Comment on line ${line}: ${text}`,
    addHint: 'Comment on this line (c)',
    at: (line: number) => `Comment on line ${line}`,
    label: (line: number) => `Comment on line ${line}. It is sent with all others.`,
    stale: (line: number) => `Line ${line} has changed since, or is not shown.`,
    save: 'Add comment',
    edit: 'Edit comment',
    remove: 'Remove comment',
    removeAll: 'Remove all',
    count: (n: number) => count(n, 'comment', 'comments'),
    send: 'Send to the model',
    preview: 'Show the message',
    sent: (n: number) => `${count(n, 'comment', 'comments')} sent.`,
    unknown: 'The comments may not have been sent.',
    unknownHint: 'The server did not respond. They stay here. Sending them again has no second effect.',
    inNote: (n: number) => `${count(n, 'comment', 'comments')} in the note to the model`,
    tooLong: 'The note is too long. Shorten the comments.',
  },
  commit: {
    open: 'Commit',
    title: 'Commit changes',
  },
};

export type ChangesText = typeof enChanges;
