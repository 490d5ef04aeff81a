import { toPrintable } from '@klaus/sdk/printable';

/** Which session `--continue` found. */
export function describeContinued({ id, title }: { id: string; title: string | null | undefined }): string {
  return `Session ${id}${title ? `, ${toPrintable(title)}` : ''}`;
}
