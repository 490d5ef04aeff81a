import { join } from 'node:path';
import type { Peer } from '../../bench/peers/agent.ts';
import { PEERS } from '../../bench/peers/peers.ts';

/** An agent of another maker, in its ACP mode. */
export interface AcpAgent {
  peer: Peer;
  /** The tool with which it runs a command, and the call that makes it ask for a permission. */
  tool: string;
  toInput: (command: string) => Record<string, string>;
}

function findPeer(name: string): Peer {
  return PEERS.find((peer) => peer.name === name)!;
}

const opencode = findPeer('opencode');
const codex = findPeer('codex');

export const AGENTS: readonly AcpAgent[] = [
  {
    peer: {
      ...opencode,
      toCommand: (folder) => [join(folder, `node_modules/opencode-linux-${process.arch}/bin/opencode`), 'acp'],
      files: (url) =>
        Object.fromEntries(
          Object.entries(opencode.files(url)).map(([path, text]) => [
            path,
            JSON.stringify({ ...(JSON.parse(text) as object), permission: { bash: 'ask', edit: 'ask' } }),
          ]),
        ),
    },
    tool: 'bash',
    toInput: (command) => ({ command, description: 'Runs it' }),
  },
  {
    peer: {
      ...codex,
      name: 'codex-acp',
      title: 'Codex',
      package: '@agentclientprotocol/codex-acp',
      version: '2.6.0',
      toCommand: (folder) => [
        process.execPath,
        join(folder, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js'),
      ],
      // In its default mode, a model of its own answers its questions.
      env: (url) => ({ ...codex.env(url), INITIAL_AGENT_MODE: 'workspace-write', NO_BROWSER: '1' }),
    },
    tool: 'exec_command',
    // Its own sandbox does not work inside of another one: the command asks to run outside of it.
    toInput: (cmd) => ({ cmd, sandbox_permissions: 'require_escalated', justification: 'May it run?' }),
  },
];
