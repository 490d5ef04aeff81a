import type { Grant } from '../../protocol/index.ts';
import { isCovered, toGrant } from './algebra.ts';

/** True if a session with the grant may use the model. A grant that names no models allows all. */
export function allowsModel({ authorities }: Grant, name: string): boolean {
  const models = authorities.flatMap((one) => (one.kind === 'model' ? [{ kind: one.kind, ids: one.ids }] : []));
  return models.length === 0 || isCovered(toGrant([{ kind: 'model', ids: [name] }]), toGrant(models));
}
