const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;

// oxlint-disable-next-line typescript/no-explicit-any -- any function of the runtime.
export type AnyFunction = (this: any, ...values: any[]) => any;

export class NotAllowedError extends Error {
  override name = 'NotAllowedError';
}

/** Functions of the runtime that behave otherwise while evaluated code runs. For the program itself they are as before. */
export function createPatches(isActive: () => boolean) {
  const undo: (() => void)[] = [];

  /** Replaces a function. `change` gets the original. */
  const patch = (holder: object, name: string, change: (original: AnyFunction) => AnyFunction): void => {
    const found = getOwnPropertyDescriptor(holder, name);
    const original = (holder as Record<string, unknown>)[name];
    if (typeof original !== 'function' || (found && !found.configurable && !found.writable)) return;
    const changed = change(original as AnyFunction);
    const value: AnyFunction = function (this: unknown, ...values) {
      const run = isActive() ? changed : (original as AnyFunction);
      return new.target
        ? (construct(run, values, new.target === value ? run : new.target) as unknown)
        : (apply(run, this, values) as unknown);
    };
    // Statics and `prototype`, for classes and promisified functions.
    for (const key of Reflect.ownKeys(original)) {
      const own = getOwnPropertyDescriptor(original, key)!;
      const target = getOwnPropertyDescriptor(value, key);
      if (!target || target.configurable === true || target.writable === true)
        Reflect.defineProperty(value, key, target && !target.configurable ? { value: own.value as unknown } : own);
    }
    if (
      !Reflect.defineProperty(holder, name, {
        value,
        writable: true,
        enumerable: found?.enumerable ?? false,
        configurable: true,
      })
    )
      return;
    undo.push(() => {
      if (found) defineProperty(holder, name, found);
      else deleteProperty(holder, name);
    });
  };

  return {
    patch,
    refuse(holder: object, names: string): void {
      for (const name of names.split(' '))
        patch(holder, name, () => () => {
          throw new NotAllowedError(`${name} is refused: it would end or replace the program.`);
        });
    },
    undo(): void {
      for (let at = undo.length - 1; at >= 0; at--) undo[at]!();
      undo.length = 0;
    },
  };
}

export type Patches = ReturnType<typeof createPatches>;
