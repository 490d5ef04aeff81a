import { describeFailure, type Formatted, type Intent, type ToolContext } from '@klaus/core/agent';
import { toIntent, type FilePlan } from './file-plan.ts';
import { keepLinks } from './keep-links.ts';
import { toLf } from './form/line-ends.ts';
import { MAX_FILE_BYTES } from './text-file.ts';

const BOM = '\uFEFF';

/** As `toIntent`, with the texts as the formatters of the project write them, if the user has set that. */
export async function toFormattedIntent(
  context: ToolContext,
  verb: string,
  plans: readonly FilePlan[],
): Promise<Intent> {
  if (!context.formatter?.applies) return keepLinks(context, toIntent(verb, plans));
  const found = await formatPlans(context, plans, ({ before, after }) => before?.text !== after);
  const intent = await keepLinks(context, toIntent(verb, found.plans));
  const notes = [
    ...new Set(found.changed.map(({ formatter }) => `Formatted with ${formatter}.`)),
    ...found.failed.map(describeFailure),
  ];
  return notes.length === 0 ? intent : { ...intent, result: [intent.result, ...notes].join('\n') };
}

export interface FormattedPlans {
  plans: FilePlan[];
  /** The files that were formatted, and those of them that a formatter changes. */
  formatted: Formatted[];
  changed: Formatted[];
  failed: Extract<Formatted, { failure: string }>[];
}

/** Formats the texts of plans. Plans whose formatter fails stay the same. @param isMeant Default: all. */
export async function formatPlans(
  { formatter, signal }: ToolContext,
  plans: readonly FilePlan[],
  isMeant: (plan: FilePlan) => boolean = () => true,
): Promise<FormattedPlans> {
  const texts = new Map<string, string>();
  for (const plan of plans) {
    const { path, after } = plan;
    if (after === null || after.length > MAX_FILE_BYTES || !isMeant(plan)) continue;
    const plain = toPlain(after);
    // Mixed line breaks would all change.
    if (!plain.includes('\r')) texts.set(path.relative, plain);
  }
  const files = [...texts].map(([path, text]) => ({ path, text }));
  const formatted = files.length === 0 ? [] : ((await formatter?.format(files, signal)) ?? []);
  const failed = formatted.filter((each) => 'failure' in each);
  const changed = formatted.filter((each) => 'text' in each && toPlain(each.text) !== texts.get(each.path));
  const next = new Map(changed.flatMap((each) => ('text' in each ? [[each.path, toPlain(each.text)] as const] : [])));
  return {
    plans: plans.map((plan) => {
      const text = next.get(plan.path.relative);
      return text === undefined || plan.after === null ? plan : { ...plan, after: restore(text, plan.after) };
    }),
    formatted,
    changed,
    failed,
  };
}

/** The text without a byte-order mark, and with `\n` if all its line breaks are `\r\n`. */
function toPlain(text: string): string {
  const rest = text.startsWith(BOM) ? text.slice(1) : text;
  return /(^|[^\r])\n/.test(rest) ? rest : toLf(rest);
}

/** The formatted text with the byte-order mark and the line breaks that the text had. */
function restore(formatted: string, text: string): string {
  const lines = text.includes('\r\n') ? formatted.replaceAll('\n', '\r\n') : formatted;
  return text.startsWith(BOM) ? BOM + lines : lines;
}
