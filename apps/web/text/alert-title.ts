import type { AlertView } from '@klaus/server/contract';
import type { Text } from './en.ts';

export function toAlertTitle(kind: AlertView['kind'], { attention }: Pick<Text, 'attention'>): string {
  return kind === 'guard-off' ? attention.guardOff : attention.guardMissed;
}
