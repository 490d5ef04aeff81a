// Covers apps/terminal/commands, apps/cli/chat, core/protocol: the commands that the terminal, the chat line by line and the page share.
import { SHARED_COMMANDS } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { CHAT_COMMANDS } from '../../apps/cli/chat/chat-commands.ts';
import { BUILT_IN_NAMES } from '../../apps/terminal/commands/commands.ts';
import { en } from '../../apps/web/text/en.ts';

/** What the terminal alone has, with the reason. A new command is shared, or listed here. */
const ONLY_IN_TERMINAL = {
  agent: 'the page chooses the agent of a new session above the message field',
  attention: 'the list of sessions shows it all the time',
  bug: 'it describes the terminal',
  capabilities: 'the page shows the grant in the view of the gate',
  clear: 'it is another name of new, for users of chats line by line',
  fetch: 'the folder of a session can be on another machine, and its download asks in a terminal',
  login: 'the settings of the page set up models',
  pin: 'it needs a text; the page has no arguments',
  processes: 'the panel above the message field shows them',
  quit: 'there is no program to end',
  status: 'the status bar has no choice of items',
  tools: 'the page has no list of them',
};

test('each command of the terminal is one of the page too, or has a reason why not', () => {
  expect([...BUILT_IN_NAMES].toSorted()).toEqual([...SHARED_COMMANDS, ...Object.keys(ONLY_IN_TERMINAL)].toSorted());
  for (const name of SHARED_COMMANDS) expect(en.slash[name]).toBeTruthy();
});

test('each command of the chat line by line is one of the terminal', () => {
  expect(CHAT_COMMANDS.map(({ name }) => name).filter((name) => !BUILT_IN_NAMES.has(name))).toEqual([]);
});
