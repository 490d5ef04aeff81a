import { rowsOf } from './assertion-call.ts';
import { namesIn, type Scope } from './scope.ts';
import {
  allChildren,
  childOf,
  childrenOf,
  isClass,
  isFunction,
  nameOf,
  plain,
  propertyOf,
  type Node,
} from './source-tree.ts';

export function isTrue(node: Node | undefined): boolean {
  return node?.type === 'BooleanLiteral' && node['value'] === true;
}

/** How often a loop runs at least; 0 if the text does not show it. */
export function rowsOfLoop(node: Node, scope: Scope): number {
  switch (node.type) {
    case 'ForOfStatement':
      return rowsOf(childOf(node, 'right'), scope);
    case 'DoWhileStatement':
      return 1;
    case 'WhileStatement':
      return isTrue(childOf(node, 'test')) ? 1 : 0;
    default: {
      const test = childOf(node, 'test');
      const [declared] = childrenOf(childOf(node, 'init'), 'declarations');
      const from = childOf(declared, 'init')?.['value'];
      const to = childOf(test, 'right')?.['value'];
      const operator = test?.['operator'];
      if (typeof from !== 'number' || typeof to !== 'number') return 0;
      const count = operator === '<' ? to - from : operator === '<=' ? to - from + 1 : 0;
      return childOf(node, 'update')?.['operator'] === '++' ? Math.max(0, count) : count > 0 ? 1 : 0;
    }
  }
}

export function namesOfLoop(node: Node): string[] {
  const left = childOf(node, 'left') ?? childOf(node, 'init');
  return left ? childrenOf(left, 'declarations').flatMap((it) => namesIn(childOf(it, 'id')!)) : [];
}

/** True for a statement after which the following ones may not run. */
export function mayLeave(node: Node): boolean {
  const visit = (at: Node, inside: { loop: boolean; switched: boolean; labels: readonly string[] }): boolean => {
    if (isFunction(at) || isClass(at)) return false;
    switch (at.type) {
      case 'ReturnStatement':
      case 'YieldExpression':
        return true;
      case 'ThrowStatement':
        return at === node;
      case 'BreakStatement':
      case 'ContinueStatement': {
        const label = nameOf(childOf(at, 'label'));
        if (label !== undefined) return !inside.labels.includes(label);
        return at.type === 'BreakStatement' ? !inside.loop && !inside.switched : !inside.loop;
      }
      case 'CallExpression':
        if (isExit(at)) return true;
        break;
      case 'LabeledStatement': {
        const label = nameOf(childOf(at, 'label'))!;
        return visit(childOf(at, 'body')!, { ...inside, labels: [...inside.labels, label] });
      }
    }
    const isLoop = /^(?:For|While|DoWhile)/.test(at.type);
    const below = {
      ...inside,
      loop: inside.loop || isLoop,
      switched: inside.switched || at.type === 'SwitchStatement',
    };
    return allChildren(at).some((child) => visit(child, below));
  };
  return visit(node, { loop: false, switched: false, labels: [] });
}

/** `process.exit()`, and what ends a test early. */
function isExit(call: Node): boolean {
  const callee = plain(childOf(call, 'callee'));
  if (callee?.type !== 'MemberExpression') return false;
  const [object, property] = [nameOf(childOf(callee, 'object')), propertyOf(callee) ?? ''];
  return (
    (object === 'process' && /^(?:exit|reallyExit|abort|kill)$/.test(property)) ||
    (object !== undefined && property === 'skip')
  );
}
