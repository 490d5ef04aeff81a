import { describeValue, type Part } from './describe-value.ts';

const STEP =
  /\.(?<name>#?[A-Za-z_$][\w$]*)|\[(?<index>\d+)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]|<(?<entry>\d+|result|prototype|@\d+)>/gy;

/**
 * The part at a path of a `ValueNode`: `.user.roles[0]`, `["a key"]`, `<3>` (entry of a Map), `<result>` (of a promise),
 * `<prototype>`, `.#field`.
 *
 * @returns Undefined if there is none, or if a getter is on the way.
 */
export function resolvePath(root: Part, path: string): Part | undefined {
  let part: Part | undefined = root;
  STEP.lastIndex = 0;
  while (part && STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    if (!match) return undefined;
    const step = path.slice(at, STEP.lastIndex);
    const { index, entry } = match.groups ?? {};
    const number = index ?? (entry !== undefined && /^\d/.test(entry) ? entry : undefined);
    const count: number = number === undefined ? Infinity : Number(number) + 1;
    if (part.note !== undefined || (number !== undefined && count > 1_000_000))
      return number === undefined ? undefined : readElement(part, Number(number));
    part = describeValue(part.value)
      .parts(count === Infinity ? 1_000_000 : count)
      .find((child) => child.step === step);
  }
  return part;
}

/** An element far behind in a long list. */
function readElement(part: Part, index: number): Part | undefined {
  const found = Array.isArray(part.value) ? Reflect.getOwnPropertyDescriptor(part.value, index) : undefined;
  return found && 'value' in found ? { name: `[${index}]`, step: `[${index}]`, value: found.value } : undefined;
}
