import type { ToolContext } from '@klaus/core/agent';
import type { FilePlan } from './file-plan.ts';
import { describeIndent, findFileRules } from './form/file-rules.ts';

const BOM = '\uFEFF';

/** The text of a new file, in the form that the project sets for it. */
export async function toNewText(
  { workspace, encodings }: Pick<ToolContext, 'workspace' | 'encodings'>,
  path: string,
  text: string,
): Promise<Pick<FilePlan, 'after' | 'form'> & { note: string }> {
  const rules = await findFileRules(workspace, path, encodings);
  const { encoding = 'utf-8', bom, eol, finalNewline } = rules;
  const isMarked = text !== '' && (bom === true || encoding.startsWith('utf-16'));
  const marked = isMarked && !text.startsWith(BOM) ? BOM + text : text;
  const isOpen = finalNewline === true && text !== '' && !/[\r\n]$/.test(text);
  const ends = eol === undefined || eol === '\n' || text.includes('\r') ? {} : { eol };
  return { after: isOpen ? `${marked}\n` : marked, form: { encoding, ...ends }, note: describeIndent(text, rules) };
}
