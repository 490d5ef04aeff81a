import { readFileSync } from 'node:fs';
import type { HunkAnswer, InputContent, InputField, Scope } from '@klaus/sdk';
import type { Command } from 'commander';
import { openClient } from '../../client/open-client.ts';
import type { ApprovalSummary, ListedApproval, Reply, SessionClient } from '@klaus/sdk/client';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { repeatable, toHunkFile, toList, toSetting } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions, choiceOption } from '../../program/run-options.ts';
import { confirm, hasKeyboard } from '../../prompt/keyboard.ts';
import { runSession } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'approve',
  summary: 'approve a request and resume the session',
  examples: ['klaus approve', 'klaus approve 01J', 'klaus approve 01J --hunks 1,3 --note "not the second one"'],
  description:
    'Approves a request and resumes the session. For one that was approved before, `--scope` changes how long it is valid: `session` or `project` remembers it, `once` revokes it. `klaus approvals --given SESSION` lists those.',
  server: 'both',
  declare: (declared) =>
    addShowOptions(
      addAnswerOptions(declared)
        .option('--hunks <ids>', 'only these hunks, separated by commas; klaus approvals lists their ids', toList)
        .option('--reject-hunks <ids>', 'all hunks except these', toList)
        .option(
          '--edit <id=file>',
          'replace the lines of a hunk by those of this file; repeatable',
          repeatable(toHunkFile),
        )
        .addOption(
          choiceOption('--scope <scope>', 'how long the approval is valid, for this agent only', [
            'once',
            'session',
            'project',
          ]),
        )
        .option(
          '--field <name=value>',
          'a value for a question of a tool; klaus approvals lists its fields; repeatable',
          repeatable(toSetting),
        )
        .option('--plan <file>', 'for a plan: accept the text of this file instead')
        .addOption(
          choiceOption('--mode <mode>', 'for a plan: continue in this mode (default: edits)', ['ask', 'edits', 'auto']),
        ),
    ),
  run: (id: string | undefined, options: Options) => answerApproval(id, 'approved', options),
};

/** What `approve` and `reject` declare first. */
export function addAnswerOptions(command: Command): Command {
  return command.addArgument(new IdArgument('[id]', 'approvals')).option('--note <text>', 'a reason for the model');
}

/**
 * The id of the approval that the user means. One that is not named by its own id, but by its session or by nothing, is shown
 * and confirmed first: another question than the expected one can be open.
 *
 * @throws UsageError if several can be meant, or without a terminal; CliError `cancelled`.
 */
async function findApproval(client: SessionClient, given: string | undefined, reply: Reply): Promise<string> {
  const open = await client.approvals();
  const text = given?.toUpperCase();
  if (text !== undefined && open.some(({ id }) => id.startsWith(text))) return text;
  const isOf = ({ session, chain = [] }: ListedApproval): boolean =>
    text === undefined || [session, ...chain.map((each) => each.session)].some((id) => id.startsWith(text));
  const fitting = open.filter(isOf);
  const [found] = fitting;
  if (found === undefined) {
    // One that was answered before.
    if (given !== undefined) return given;
    throw new UsageError('No approval is open.', '`klaus attention` lists what else needs you.');
  }
  if (fitting.length > 1 || !hasKeyboard()) {
    const lines = fitting.map(({ id, title }) => `${id} (${toLine(title, 100)})`);
    throw new UsageError(
      `Name an approval by its id: ${lines.join(', ')}.`,
      '`klaus approvals` shows them completely.',
    );
  }
  const what = found.command ?? found.title;
  err.write(`${found.id}  ${toLine(what, 400)}\n  session ${found.session} in ${toPrintable(found.workspace)}\n`);
  if (await confirm(reply === 'approved' ? 'Approve it?' : 'Reject it?', '')) return found.id;
  throw new CliError('cancelled', 'The approval is still open.');
}

/** Answers an approval of any session, and resumes the session. Returns the exit code. */
export async function answerApproval(given: string | undefined, reply: Reply, options: Options): Promise<number> {
  const output = createOutput(options);
  await using client = await openClient(options, { onNotice: output.note });
  const approval = await client.approval(await findApproval(client, given, reply));
  if (approval.answer === 'approved' && options.scope !== undefined && reply === 'approved') {
    await changeScope(client, approval, options.scope);
    return EXIT.done;
  }
  if (approval.answer !== null) {
    const who = approval.answeredBy === null ? '' : ` by ${approval.answeredBy}`;
    throw new UsageError(
      `The approval is already answered: ${approval.answer}${who}.`,
      `\`klaus approvals${client.at}\` lists the open ones.`,
    );
  }
  // The session that the user opened advances those below it, and continues after them.
  const session = await client.session(approval.chain?.[0]?.session ?? approval.session);
  const { note, scope, mode } = options;
  const plan = options.plan === undefined ? undefined : readFileSync(options.plan, 'utf8');
  const hunks = toHunkAnswer(approval.hunks, options);
  const content = await toContent(approval.input?.fields ?? [], reply, options);
  await client.answer(approval.id, reply, { note, scope, hunks, plan, mode, content });
  return await runSession({ client, session, show: options, output, asks: canAsk(options), sent: 'answer' });
}

/** Changes how long a given approval is valid. No run is resumed. */
async function changeScope(client: SessionClient, { id, session }: ApprovalSummary, scope: Scope): Promise<void> {
  const { applied } = await client.changeApproval(session, id, scope);
  out.write(scope === 'once' ? 'Revoked: the call needs an approval again.\n' : `Remembered for the ${scope}.\n`);
  if (!applied) err.write('Another process works on the session. It applies the change before its next step.\n');
}

/** The values of a form; those that are not given are the defaults. Undefined: the question has no fields. */
async function toContent(
  fields: readonly InputField[],
  reply: Reply,
  { field: given = [] }: Options,
): Promise<InputContent | undefined> {
  if (reply === 'rejected' || (fields.length === 0 && given.length === 0)) return undefined;
  const { toInputDefaults, toInputValue } = await import('@klaus/sdk');
  const content = toInputDefaults(fields);
  for (const pair of given) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    const field = fields.find((each) => each.name === name);
    if (!field) {
      throw new UsageError(`There is no field ${name}.`, `Fields: ${fields.map((each) => each.name).join(', ')}.`);
    }
    content[name] = toInputValue(field, pair.slice(at + 1));
  }
  return content;
}

/** The hunks that the options name; undefined for the complete change. @throws UsageError for an unknown hunk. */
function toHunkAnswer(all: readonly string[], { hunks, rejectHunks, edit }: Options): HunkAnswer | undefined {
  if (!hunks && !rejectHunks && !edit) return undefined;
  if (hunks && rejectHunks) throw new UsageError('--hunks and --reject-hunks exclude each other.');
  const unknown = rejectHunks?.find((id) => !all.includes(id));
  if (unknown !== undefined) throw new UsageError(`There is no hunk ${unknown}.`, `Hunks: ${all.join(', ')}.`);
  const edited = (edit ?? []).map((pair) => {
    const at = pair.indexOf('=');
    return { id: pair.slice(0, at), text: readFileSync(pair.slice(at + 1), 'utf8') };
  });
  return {
    accepted: [...(hunks ?? all.filter((hunk) => !rejectHunks?.includes(hunk)))],
    ...(edited.length > 0 ? { edited } : {}),
  };
}
