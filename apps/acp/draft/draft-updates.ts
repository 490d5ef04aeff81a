import type * as draft from '@agentclientprotocol/sdk/experimental/v2';
import type { AvailableCommand, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';
import type { Activity } from '../connection/editor-peer.ts';
import { toDraftBlock, toDraftCall, toDraftOptions } from './draft-content.ts';

/** Id of the only plan of a session. */
const PLAN = 'todos';

/** The updates of the draft that say the same. @param newId Makes the id of a text that belongs to no message. */
export function toDraftUpdates(update: SessionUpdate, newId: () => string): draft.SessionUpdate[] {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const { sessionUpdate, content } = update;
      const id = update.messageId ?? newId();
      // The thoughts of a message are a message of their own.
      const messageId = sessionUpdate === 'agent_thought_chunk' ? `${id}-thought` : id;
      return [{ sessionUpdate, messageId, content: toDraftBlock(content) } as draft.SessionUpdate];
    }
    case 'tool_call':
    case 'tool_call_update':
      return toCallUpdates(update);
    case 'plan':
      return [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: PLAN, entries: update.entries } }];
    case 'available_commands_update': {
      const availableCommands = update.availableCommands.map(toCommand);
      return [{ sessionUpdate: 'available_commands_update', availableCommands }];
    }
    case 'config_option_update':
      return [{ sessionUpdate: 'config_option_update', configOptions: toDraftOptions(update.configOptions) }];
    case 'compaction_summary_chunk':
      return [{ ...update, content: toDraftBlock(update.content) }];
    case 'session_info_update':
    case 'usage_update':
    case 'notice':
    case 'compaction_update':
      return [update as draft.SessionUpdate];
    // The mode is an option.
    default:
      return [];
  }
}

export function toStateUpdate(activity: Activity): draft.SessionUpdate {
  const { message, ...state } = { message: undefined, ...activity };
  const error = message === undefined ? {} : { error: { code: -32_603, message } };
  return { sessionUpdate: 'state_update', ...state, ...error } as draft.SessionUpdate;
}

/** The terminals of the agent are extensions of version 1. */
function toCallUpdates({ _meta, ...call }: ToolCallUpdate): draft.SessionUpdate[] {
  const { terminal_info: info, terminal_output: output, terminal_exit: exit } = (_meta ?? {}) as TerminalFields;
  const updates: draft.SessionUpdate[] = [];
  if (info) updates.push({ sessionUpdate: 'terminal_update', terminalId: info.terminal_id, cwd: info.cwd });
  if (output) {
    const data = Buffer.from(output.data).toString('base64');
    updates.push({ sessionUpdate: 'terminal_output_chunk', terminalId: output.terminal_id, data });
  }
  if (exit) {
    const exitStatus = { exitCode: exit.exit_code };
    updates.push({ sessionUpdate: 'terminal_update', terminalId: exit.terminal_id, exitStatus });
  }
  const fields = toDraftCall(call);
  if (!output || Object.keys(fields).length > 1) updates.push({ sessionUpdate: 'tool_call_update', ...fields });
  return updates;
}

/** See `CallOutput`. */
interface TerminalFields {
  terminal_info?: { terminal_id: string; cwd: string };
  terminal_output?: { terminal_id: string; data: string };
  terminal_exit?: { terminal_id: string; exit_code: number | null };
}

function toCommand({ name, description, input }: AvailableCommand): draft.AvailableCommand {
  return { type: 'command', name, description, ...(input ? { input: { type: 'text', hint: input.hint } } : {}) };
}
