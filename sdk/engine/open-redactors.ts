import type { Redactor, SecretValue } from '@klaus/core/policy';

/** The redactors of running sessions, which also learn what is found during a run. */
export interface OpenRedactors {
  add(redactor: Redactor): Redactor;
  learn(values: readonly SecretValue[]): void;
}

export function createOpenRedactors(): OpenRedactors {
  let open: WeakRef<Redactor>[] = [];
  return {
    add(redactor) {
      open = open.filter((each) => each.deref() !== undefined);
      open.push(new WeakRef(redactor));
      return redactor;
    },
    learn: (values) => open.forEach((each) => each.deref()?.learn(values)),
  };
}
